import TelemetryModels

/// What a header line says once for the event lines below it.
struct EventContext {
    var clientId: String?
    var sessionId: String
    /// What the identifiers below begin with, where that is not the session's identifier.
    var idPrefix: String?
    var device: TelemetryDeviceInfo
    var threadId: String
    var scenario: String?
    var level: TelemetryLogLevel
}

extension EventContext {
    /// The context that an event begins.
    init(_ event: TelemetryEvent) {
        self.init(
            clientId: event.clientId, sessionId: event.sessionId, idPrefix: nil, device: event.device,
            threadId: event.threadId, scenario: event.scenario, level: event.level)
        idPrefix = event.eventId.withBytes { bytes in
            guard let number = EventNumber(bytes), !number.isPrefix(event.sessionId, of: bytes) else { return nil }
            return String(decoding: bytes[..<number.prefixCount], as: UTF8.self)
        }
    }

    /// Whether the event can stand below this header. The same text, not only an equal one: spellings are kept.
    func holds(_ event: TelemetryEvent) -> Bool {
        sessionId.isIdentical(to: event.sessionId) && Self.isSame(clientId, event.clientId)
            && Self.isSame(device, event.device)
    }

    private static func isSame(_ left: TelemetryDeviceInfo, _ right: TelemetryDeviceInfo) -> Bool {
        left.deviceName.isIdentical(to: right.deviceName) && left.deviceType.isIdentical(to: right.deviceType)
            && left.deviceModel.isIdentical(to: right.deviceModel) && left.osVersion.isIdentical(to: right.osVersion)
            && left.appVersion.isIdentical(to: right.appVersion)
    }

    @inline(__always)
    static func isSame(_ left: String?, _ right: String?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left.isIdentical(to: right)
        default: false
        }
    }
}
