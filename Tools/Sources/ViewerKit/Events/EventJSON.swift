@_spi(Tooling) public import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// Formats events as one JSON object per line, with the schema's field names. `TelemetryEvent` decodes them.
public struct EventJSON {
    /// The fields that consecutive events usually have in common, as members of an object.
    private struct Origin {
        var device: TelemetryDeviceInfo
        var threadId: String
        var members: [UInt8]
    }

    private typealias Field = TelemetrySchema.Field

    private var origin: Origin?
    private var writer = JSONWriter(capacity: 4_096)

    public init() {}

    public mutating func append(_ event: TelemetryEvent, to bytes: inout [UInt8]) {
        let origin = origin(of: event)
        writer.removeAll()
        writer.object { writer in
            writer.member(Field.eventId.rawValue, event.eventId)
            if let client = event.clientId { writer.member(Field.clientId.rawValue, client) }
            writer.member(Field.sessionId.rawValue, event.sessionId)
            writer.member(Field.sequence.rawValue, event.sequence)
            writer.member(Field.eventName.rawValue, event.name)
            writer.key(Field.eventTimestamp.rawValue)
            writer.timestamp(event.timestamp)
            if let scenario = event.scenario { writer.member(Field.scenario.rawValue, scenario) }
            writer.member(Field.logLevel.rawValue, event.level.rawValue)
            if let text = event.property1 { writer.member(Field.property1.rawValue, text) }
            if !event.attributes.isEmpty {
                writer.key(Field.attributes.rawValue)
                Self.write(event.attributes, to: &writer)
            }
            writer.raw(origin.members)
        }
        writer.withBytes { JSONBytes.appendEscapingControls(in: $0, to: &bytes) }
    }

    /// The attributes as an object, sorted by name.
    static func json(_ attributes: [String: TelemetryValue]) -> [UInt8] {
        var writer = JSONWriter()
        write(attributes, to: &writer)
        return JSONBytes.escapingControls(in: writer.bytes)
    }

    private mutating func origin(of event: TelemetryEvent) -> Origin {
        if let origin, origin.threadId == event.threadId, origin.device == event.device { return origin }
        var members = JSONWriter()
        members.member(Field.threadId.rawValue, event.threadId)
        members.member(Field.deviceType.rawValue, event.device.deviceType)
        members.member(Field.deviceName.rawValue, event.device.deviceName)
        members.member(Field.deviceModel.rawValue, event.device.deviceModel)
        members.member(Field.osVersion.rawValue, event.device.osVersion)
        members.member(Field.appVersion.rawValue, event.device.appVersion)
        let read = Origin(device: event.device, threadId: event.threadId, members: members.bytes)
        origin = read
        return read
    }

    private static func write(_ attributes: [String: TelemetryValue], to writer: inout JSONWriter) {
        writer.object { writer in
            for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
                writer.key(name)
                if case .date(let date) = value {
                    writer.object { object in
                        object.key("date")
                        object.timestamp(date)
                    }
                } else {
                    _ = writer.value(value)
                }
            }
        }
    }
}
