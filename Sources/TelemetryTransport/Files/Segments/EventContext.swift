import TelemetryModels

/// What a header line says once for the event lines below it.
struct EventContext: Equatable {
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
        if let number = EventNumber(event.eventId), !number.isPrefix(event.sessionId) { idPrefix = String(number.prefix) }
    }

    /// Whether the event can stand below this header. The same text, not only an equal one: spellings are kept.
    func holds(_ event: TelemetryEvent) -> Bool {
        Self.isSame(sessionId, event.sessionId) && Self.isSame(clientId, event.clientId)
            && Self.isSame(device, event.device)
    }

    private static func isSame(_ left: TelemetryDeviceInfo, _ right: TelemetryDeviceInfo) -> Bool {
        isSame(left.deviceName, right.deviceName) && isSame(left.deviceType, right.deviceType)
            && isSame(left.deviceModel, right.deviceModel) && isSame(left.osVersion, right.osVersion)
            && isSame(left.appVersion, right.appVersion)
    }

    static func isSame(_ left: String?, _ right: String?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): isSame(left, right)
        default: false
        }
    }

    static func isSame(_ left: String, _ right: String) -> Bool {
        left == right && left.utf8.count == right.utf8.count && (left.utf8.elementsEqual(right.utf8))
    }
}

/// An identifier of the form `<prefix>-<number>`, the number in decimal without leading zeros.
struct EventNumber {
    let prefix: Substring
    let number: UInt64

    init?(_ eventId: String) {
        let text = eventId.utf8
        guard let dash = text.lastIndex(of: UInt8(ascii: "-")) else { return nil }
        let digits = text[text.index(after: dash)...]
        guard (1...19).contains(digits.count), let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1 else {
            return nil
        }
        var number: UInt64 = 0
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number * 10 + UInt64(digit)
        }
        self.prefix = eventId[..<dash]
        self.number = number
    }

    func isPrefix(_ text: String) -> Bool { prefix.utf8.elementsEqual(text.utf8) }
}
