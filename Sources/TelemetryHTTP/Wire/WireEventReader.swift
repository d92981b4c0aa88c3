import Foundation
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTransport

/// Reads events. Equal strings of consecutive events share their storage.
struct WireEventReader {
    private var timestamps = TimestampReader()
    private var clientId = ""
    private var sessionId = ""
    private var name = ""
    private var threadId = ""
    private var scenario = ""
    private var device = Device()
    private var lastDevice: TelemetryDeviceInfo?

    private struct Device {
        var type = ""
        var name = ""
        var model = ""
        var osVersion = ""
        var appVersion = ""
    }

    /// The event's own values, and which of the strings above it has.
    private struct Draft {
        var eventId: String?
        var hasClient = false
        var hasSession = false
        var hasName = false
        var hasThread = false
        var hasScenario = false
        var sequence = 0
        var timestamp: Date?
        var property1: String?
        var attributes: [String: TelemetryValue] = [:]
        var level = TelemetryLogLevel.info
        var device = Device()
    }

    /// Returns nil if the JSON is not an event or a required member is missing.
    mutating func event(_ scanner: inout JSONScanner) -> TelemetryEvent? {
        var draft = Draft()
        let isRead = scanner.readMembers { key, scanner in read(key, &scanner, into: &draft) }
        guard isRead, let eventId = draft.eventId, let timestamp = draft.timestamp, draft.hasSession, draft.hasName else {
            return nil
        }
        return TelemetryEvent(
            eventId: eventId, clientId: draft.hasClient ? clientId : nil, sessionId: sessionId, sequence: UInt64(draft.sequence),
            name: name, timestamp: timestamp, device: deviceInfo(draft.device), threadId: draft.hasThread ? threadId : "",
            property1: draft.property1, attributes: draft.attributes, scenario: draft.hasScenario ? scenario : nil,
            level: draft.level)
    }

    private mutating func read(
        _ key: UnsafeBufferPointer<UInt8>, _ scanner: inout JSONScanner, into draft: inout Draft
    ) -> Bool {
        if key.isIdentical(to: "eventId") { return scanner.read(&draft.eventId) }
        if key.isIdentical(to: "clientid") { return Self.read(&scanner, &clientId, &draft.hasClient) }
        if key.isIdentical(to: "sessionId") { return Self.read(&scanner, &sessionId, &draft.hasSession) }
        if key.isIdentical(to: "eventName") { return Self.read(&scanner, &name, &draft.hasName) }
        if key.isIdentical(to: "threadId") { return Self.read(&scanner, &threadId, &draft.hasThread) }
        if key.isIdentical(to: "scenario") { return Self.read(&scanner, &scenario, &draft.hasScenario) }
        if key.isIdentical(to: "sequence") { return scanner.read(&draft.sequence) }
        if key.isIdentical(to: "property1") { return scanner.read(&draft.property1) }
        if key.isIdentical(to: "eventTimestamp") {
            guard let raw = scanner.rawString(), !raw.hasEscapes else { return false }
            draft.timestamp = timestamps.date(from: raw.bytes)
            return draft.timestamp != nil
        }
        if key.isIdentical(to: "logLevel") {
            guard let text = scanner.string() else { return false }
            // An unknown level is read as `.info`.
            draft.level = TelemetryLogLevel(rawValue: text) ?? .info
            return true
        }
        if key.isIdentical(to: "attributes") {
            guard let values = scanner.wireValues() else { return false }
            draft.attributes = values
            return true
        }
        return readDevice(key, &scanner, into: &draft.device)
    }

    private mutating func readDevice(
        _ key: UnsafeBufferPointer<UInt8>, _ scanner: inout JSONScanner, into draft: inout Device
    ) -> Bool {
        if key.isIdentical(to: "deviceType") { return Self.read(&scanner, &device.type, into: &draft.type) }
        if key.isIdentical(to: "deviceName") { return Self.read(&scanner, &device.name, into: &draft.name) }
        if key.isIdentical(to: "deviceModel") { return Self.read(&scanner, &device.model, into: &draft.model) }
        if key.isIdentical(to: "osVersion") { return Self.read(&scanner, &device.osVersion, into: &draft.osVersion) }
        if key.isIdentical(to: "appVersion") { return Self.read(&scanner, &device.appVersion, into: &draft.appVersion) }
        return scanner.skipValue()
    }

    private static func read(_ scanner: inout JSONScanner, _ known: inout String, _ isThere: inout Bool) -> Bool {
        isThere = scanner.string(orSameAs: &known) != nil
        return isThere
    }

    private static func read(_ scanner: inout JSONScanner, _ known: inout String, into text: inout String) -> Bool {
        guard let read = scanner.string(orSameAs: &known) else { return false }
        text = read
        return true
    }

    private mutating func deviceInfo(_ draft: Device) -> TelemetryDeviceInfo {
        if let lastDevice, draft.type.isIdentical(to: lastDevice.deviceType), draft.name.isIdentical(to: lastDevice.deviceName),
            draft.model.isIdentical(to: lastDevice.deviceModel), draft.osVersion.isIdentical(to: lastDevice.osVersion),
            draft.appVersion.isIdentical(to: lastDevice.appVersion)
        {
            return lastDevice
        }
        let info = TelemetryDeviceInfo(
            deviceType: draft.type, deviceName: draft.name, deviceModel: draft.model, osVersion: draft.osVersion,
            appVersion: draft.appVersion)
        lastDevice = info
        return info
    }
}

extension TelemetryEventPage {
    /// Returns nil if the response is not one of `GET /v1/events`.
    init?(_ reply: HTTPReply) {
        guard reply.head.mediaType == RelayClient.linesType else {
            self.init(relayBody: reply.body)
            return
        }
        func number(_ name: String) -> Int? { reply.head.header(name).flatMap { Int($0) } }
        guard let cursor = reply.head.header("Telemetry-Cursor"),
            let hasMore = reply.head.header("Telemetry-Has-More").flatMap({ Bool($0) }),
            let skipped = number("Telemetry-Skipped"), let events = EventLines.decode(all: reply.body),
            number("Telemetry-Count") ?? events.count == events.count
        else { return nil }
        self.init(
            events: events, cursor: TelemetryCursor(rawValue: cursor), hasMore: hasMore, skippedEventCount: skipped)
    }

    /// Returns nil if the body is not a response of `GET /v1/events`.
    init?(relayBody body: Data) {
        var reader = WireEventReader()
        var events: [TelemetryEvent]?
        var cursor: String?
        var hasMore = false
        var skipped = 0
        let isRead = body.withScanner { scanner in
            scanner.readMembers { key, scanner in
                if key.isIdentical(to: "cursor") { return scanner.read(&cursor) }
                if key.isIdentical(to: "hasMore") { return scanner.read(&hasMore) }
                if key.isIdentical(to: "skipped") { return scanner.read(&skipped) }
                guard key.isIdentical(to: "events") else { return scanner.skipValue() }
                var found: [TelemetryEvent] = []
                let isArray = scanner.readArray { scanner in
                    guard let event = reader.event(&scanner) else { return false }
                    found.append(event)
                    return true
                }
                events = found
                return isArray
            }
        }
        guard isRead, let events, let cursor else { return nil }
        self.init(events: events, cursor: TelemetryCursor(rawValue: cursor), hasMore: hasMore, skippedEventCount: skipped)
    }
}
