package import TelemetryModels

/// The values that a header line provides for the event lines below it.
package final class EventContext: Sendable {
    package let clientId: String?
    package let sessionId: String
    /// The prefix of the identifiers below, if it is not the session's identifier.
    package let idPrefix: String?
    package let device: TelemetryDeviceInfo
    package let threadId: String
    package let scenario: String?
    package let level: TelemetryLogLevel

    package init(
        clientId: String?, sessionId: String, idPrefix: String?, device: TelemetryDeviceInfo, threadId: String,
        scenario: String?, level: TelemetryLogLevel
    ) {
        self.clientId = clientId
        self.sessionId = sessionId
        self.idPrefix = idPrefix
        self.device = device
        self.threadId = threadId
        self.scenario = scenario
        self.level = level
    }
}

extension EventContext {
    /// The context for an event that needs a new header.
    package convenience init(_ event: TelemetryEvent) {
        let idPrefix: String? = event.eventId.withBytes { bytes in
            guard let number = EventNumber(bytes), !number.isPrefix(event.sessionId, of: bytes) else { return nil }
            return String(decoding: bytes[..<number.prefixCount], as: UTF8.self)
        }
        self.init(
            clientId: event.clientId, sessionId: event.sessionId, idPrefix: idPrefix, device: event.device,
            threadId: event.threadId, scenario: event.scenario, level: event.level)
    }

    /// Whether the event can be written below this header. Compares bytes, so that Unicode spellings are kept.
    package func holds(_ event: UnsafePointer<TelemetryEvent>) -> Bool {
        Self.isSame(sessionId, event.pointee.sessionId) && Self.isSame(clientId, event.pointee.clientId)
            && hasSameDevice(as: event.pointee.device)
    }

    private func hasSameDevice(as other: borrowing TelemetryDeviceInfo) -> Bool {
        other.isCopy(of: device) || Self.isSame(device, copy other)
    }

    private static func isSame(_ left: TelemetryDeviceInfo, _ right: TelemetryDeviceInfo) -> Bool {
        left.deviceName.isIdentical(to: right.deviceName) && left.deviceType.isIdentical(to: right.deviceType)
            && left.deviceModel.isIdentical(to: right.deviceModel) && left.osVersion.isIdentical(to: right.osVersion)
            && left.appVersion.isIdentical(to: right.appVersion)
    }

    @inline(__always)
    package static func isSame(_ left: String?, _ right: String?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left.isIdentical(to: right)
        default: false
        }
    }
}
