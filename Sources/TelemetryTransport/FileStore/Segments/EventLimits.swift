import TelemetryModels
import TelemetrySystem

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The requirements for an event to be stored.
enum EventLimits {
    static func check(_ event: UnsafePointer<TelemetryEvent>, maximumBytes: Int) throws(TelemetryTransportError) {
        // Escaping makes at most six bytes of one; only events that may be too large are measured.
        let isSurelySmall = textBytes(of: event) <= (max(maximumBytes, 1_024) - 1_024) / 6
        let hasDates = event.pointee.attributes.values.contains { if case .date = $0 { true } else { false } }
        if isSurelySmall, !hasDates, isStorable(event.pointee.timestamp) { return }
        var encoder = EventLineEncoder()
        guard encoder.append(event) else { throw dateOutOfRange(event.pointee.eventId) }
        guard encoder.buffer.count <= maximumBytes else {
            throw tooLarge(event.pointee.eventId, encoder.buffer.count, of: maximumBytes)
        }
    }

    static func dateOutOfRange(_ eventId: String) -> TelemetryTransportError {
        .invalidArgument("The event \"\(eventId.prefix(100))\" has a date outside the years 1 to 9999.")
    }

    static func tooLarge(_ eventId: String, _ size: Int, of maximum: Int) -> TelemetryTransportError {
        .invalidArgument("The event \"\(eventId.prefix(100))\" takes \(size) bytes; the limit is \(maximum).")
    }

    /// Whether the date can certainly be written. If false, encoding decides.
    private static func isStorable(_ date: Date) -> Bool {
        // From the year 2 to the year 9998, counted from 2001.
        (-63_000_000_000...252_000_000_000).contains(date.timeIntervalSinceReferenceDate)
    }

    private static func textBytes(of event: UnsafePointer<TelemetryEvent>) -> Int {
        var count = event.pointee.eventId.utf8.count + event.pointee.sessionId.utf8.count + event.pointee.name.utf8.count
        count +=
            event.pointee.threadId.utf8.count + (event.pointee.clientId?.utf8.count ?? 0)
            + (event.pointee.property1?.utf8.count ?? 0)
        count += event.pointee.scenario?.utf8.count ?? 0
        count += event.pointee.device.deviceName.utf8.count + event.pointee.device.deviceType.utf8.count
        count += event.pointee.device.deviceModel.utf8.count + event.pointee.device.osVersion.utf8.count
        count += event.pointee.device.appVersion.utf8.count
        for (key, value) in event.pointee.attributes { count += key.utf8.count + (value.stringValue?.utf8.count ?? 40) + 4 }
        return count
    }
}
