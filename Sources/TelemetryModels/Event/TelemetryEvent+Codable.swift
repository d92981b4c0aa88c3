/// The stored form: one flat object with the schema's names, `{"eventId": …, "eventName": …, "eventTimestamp": "2026-…Z"}`.
extension TelemetryEvent: Codable {
    private typealias Field = TelemetrySchema.Field

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: SchemaKey.self)
        func text(_ field: TelemetrySchema.Field) throws -> String {
            try container.decodeIfPresent(String.self, forKey: SchemaKey(field)) ?? ""
        }
        let level = try container.decodeIfPresent(String.self, forKey: SchemaKey(Field.logLevel))
        self.init(
            eventId: try container.decode(String.self, forKey: SchemaKey(Field.eventId)),
            clientId: try container.decodeIfPresent(String.self, forKey: SchemaKey(Field.clientId)),
            sessionId: try container.decode(String.self, forKey: SchemaKey(Field.sessionId)),
            sequence: try container.decodeIfPresent(UInt64.self, forKey: SchemaKey(Field.sequence)) ?? 0,
            name: try container.decode(String.self, forKey: SchemaKey(Field.eventName)),
            timestamp: try container.decodeTimestamp(forKey: SchemaKey(Field.eventTimestamp)),
            device: TelemetryDeviceInfo(
                deviceType: try text(.deviceType), deviceName: try text(.deviceName), deviceModel: try text(.deviceModel),
                osVersion: try text(.osVersion), appVersion: try text(.appVersion)),
            threadId: try text(.threadId),
            property1: try container.decodeIfPresent(String.self, forKey: SchemaKey(Field.property1)),
            attributes: try container.decodeIfPresent(
                [String: TelemetryValue].self, forKey: SchemaKey(Field.attributes)) ?? [:],
            scenario: try container.decodeIfPresent(String.self, forKey: SchemaKey(Field.scenario)),
            level: level.flatMap(TelemetryLogLevel.init(rawValue:)) ?? .info)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SchemaKey.self)
        try container.encode(eventId, forKey: SchemaKey(Field.eventId))
        try container.encodeIfPresent(clientId, forKey: SchemaKey(Field.clientId))
        try container.encode(sessionId, forKey: SchemaKey(Field.sessionId))
        try container.encode(sequence, forKey: SchemaKey(Field.sequence))
        try container.encode(name, forKey: SchemaKey(Field.eventName))
        try container.encodeTimestamp(timestamp, forKey: SchemaKey(Field.eventTimestamp))
        try container.encode(device.deviceType, forKey: SchemaKey(Field.deviceType))
        try container.encode(device.deviceName, forKey: SchemaKey(Field.deviceName))
        try container.encode(device.deviceModel, forKey: SchemaKey(Field.deviceModel))
        try container.encode(device.osVersion, forKey: SchemaKey(Field.osVersion))
        try container.encode(device.appVersion, forKey: SchemaKey(Field.appVersion))
        try container.encode(threadId, forKey: SchemaKey(Field.threadId))
        try container.encodeIfPresent(property1, forKey: SchemaKey(Field.property1))
        if !attributes.isEmpty { try container.encode(attributes, forKey: SchemaKey(Field.attributes)) }
        try container.encodeIfPresent(scenario, forKey: SchemaKey(Field.scenario))
        try container.encode(level.rawValue, forKey: SchemaKey(Field.logLevel))
    }
}

/// A schema field as a key, so that the stored names have one source.
struct SchemaKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ field: TelemetrySchema.Field) { self.stringValue = field.rawValue }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
