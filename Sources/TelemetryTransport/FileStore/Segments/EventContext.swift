import TelemetryModels
import TelemetrySystem

/// The values that a header line provides for the event lines below it.
final class EventContext: Sendable {
    let clientId: String?
    let sessionId: String
    /// The prefix of the identifiers below, if it is not the session's identifier.
    let idPrefix: String?
    let device: TelemetryDeviceInfo
    let threadId: String
    let scenario: String?
    let level: TelemetryLogLevel
    let tables: HeaderTables

    init(
        clientId: String?, sessionId: String, idPrefix: String?, device: TelemetryDeviceInfo, threadId: String,
        scenario: String?, level: TelemetryLogLevel, tables: HeaderTables = HeaderTables()
    ) {
        self.clientId = clientId
        self.sessionId = sessionId
        self.idPrefix = idPrefix
        self.device = device
        self.threadId = threadId
        self.scenario = scenario
        self.level = level
        self.tables = tables
    }
}

extension EventContext {
    /// The context for an event that needs a new header.
    /// - Parameters:
    ///   - level: The level that lines leave out.
    ///   - tables: What lines below the new header refer to by numbers; their times will be relative to this event's.
    ///   - former: The current context, if it is of the same session.
    convenience init(
        _ origin: EventOrigin, _ event: EventFields, level: TelemetryLogLevel, tables: HeaderTables, after former: EventContext?
    ) {
        let idPrefix: String? = event.identifier.flatMap { identifier in
            guard let number = EventNumber(identifier), !number.isPrefix(origin.sessionId, of: identifier) else { return nil }
            return String(decoding: identifier[..<number.prefixCount], as: UTF8.self)
        }
        var tables = tables
        tables.start = TimestampParts(event.timestamp)?.millisecondsSince1970
        self.init(
            clientId: origin.clientId, sessionId: origin.sessionId, idPrefix: idPrefix ?? former?.idPrefix,
            device: origin.device,
            threadId: String(decoding: event.thread, as: UTF8.self),
            scenario: event.scenario.map { String(decoding: $0, as: UTF8.self) }, level: level, tables: tables)
    }

    /// Whether the event can be written below this header. Compares bytes, so that Unicode spellings are kept.
    func holds(_ event: UnsafePointer<TelemetryEvent>) -> Bool {
        sessionId.isIdentical(to: event.pointee.sessionId) && Self.isSame(clientId, event.pointee.clientId)
            && hasSameDevice(as: event.pointee.device)
    }

    /// Whether events of the origin can be written below this header.
    func holds(_ origin: EventOrigin) -> Bool {
        sessionId.isIdentical(to: origin.sessionId) && Self.isSame(clientId, origin.clientId)
            && hasSameDevice(as: origin.device)
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
    static func isSame(_ left: String?, _ right: String?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left.isIdentical(to: right)
        default: false
        }
    }

    @inline(__always)
    static func isSame(_ left: String?, _ right: EventFields.Text?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left.withBytes { $0.isIdentical(to: right) }
        default: false
        }
    }
}
