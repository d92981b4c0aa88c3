import Foundation
import TelemetryModels

/// An event as the caller logged it, without identifiers.
struct CapturedEvent {
    var name: String
    var scenario: String?
    var level: TelemetryLogLevel
    var property1: String?
    var attributes: [String: TelemetryValue]
    var secondsSinceReference: Double
    var thread: UInt64

    /// The most bytes that the event's frame takes.
    var maximumFrameBytes: Int {
        FrameEncoding.maximumBytes(name: name, scenario: scenario, property1: property1)
            + (attributes.isEmpty ? 0 : AttributeCoding.maximumBytes(of: attributes))
    }
}

extension CapturedEvent {
    /// Passes the event to the host's hook and applies its changes; false if the hook refused the event.
    mutating func pass(through process: (inout TelemetryEvent) -> Bool, sessionId: String) -> Bool {
        var event = TelemetryEvent(
            eventId: "", sessionId: sessionId, name: name,
            timestamp: Date(timeIntervalSinceReferenceDate: secondsSinceReference), threadId: "\(thread)",
            property1: property1, attributes: attributes, scenario: scenario, level: level)
        guard process(&event) else { return false }
        name = event.name
        scenario = event.scenario
        level = event.level
        property1 = event.property1
        attributes = event.attributes
        secondsSinceReference = event.timestamp.timeIntervalSinceReferenceDate
        return true
    }
}
