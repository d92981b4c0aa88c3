import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// The schema fields of an event, or of the context that several events share, as received.
struct WireEventFields {
    private typealias Field = TelemetrySchema.Field

    private(set) var texts: [TelemetrySchema.Field: String] = [:]
    private(set) var sequence: Int64?
    /// The members of the attributes as JSON, without `null`s.
    private(set) var attributes: [UInt8]?

    init() {}

    /// Reads an object. Fields that it omits or that are `null` take the context's value.
    init(_ reader: inout JSONReader, context: WireEventFields, place: String) throws {
        self = context
        guard try reader.kind() == .object else { throw Problem.invalidArgument("\(place) must be an object.") }
        try reader.object { key, reader in
            // Ignores fields of later schema versions.
            guard let field = Self.fields[key] else { return try reader.skip() }
            guard try !reader.null() else { return }
            switch field {
            case .sequence: sequence = try Self.sequence(&reader, place)
            case .attributes: attributes = try Self.attributes(&reader, place)
            case .eventTimestamp:
                let text = try Self.text(&reader, field, place)
                guard let normalized = WireTime.normalized(text) else {
                    throw Problem.invalidArgument("\(place).\(key) is not an RFC 3339 time in UTC.")
                }
                texts[field] = normalized
            default: texts[field] = try Self.text(&reader, field, place)
            }
        }
    }

    private static let fields = Dictionary(uniqueKeysWithValues: TelemetrySchema.Field.allCases.map { ($0.rawValue, $0) })

    /// The fields whose text the relay compares. A text that is only stored may contain anything.
    private static let compared: Set<Field> = [
        .eventId, .eventName, .eventTimestamp, .sessionId, .clientId, .scenario, .logLevel,
    ]

    private static func text(_ reader: inout JSONReader, _ field: Field, _ place: String) throws -> String {
        guard try reader.kind() == .string else {
            throw Problem.invalidArgument("\(place).\(field.rawValue) must be a string.")
        }
        return try compared.contains(field) ? reader.name() : reader.string()
    }

    private static func sequence(_ reader: inout JSONReader, _ place: String) throws -> Int64 {
        guard try reader.kind() == .number, case .int(let number) = try reader.number(), number >= 0 else {
            throw Problem.invalidArgument("\(place).sequence must be a whole number of at least 0.")
        }
        return number
    }

    private static func attributes(_ reader: inout JSONReader, _ place: String) throws -> [UInt8] {
        guard try reader.kind() == .object else { throw Problem.invalidArgument("\(place).attributes must be an object.") }
        var values: [(String, WireValue)] = []
        var places: [String: Int] = [:]
        try reader.object { key, reader in
            guard let value = try WireValue(&reader, name: "\(place).attributes.\(key)") else { return }
            // If a name occurs twice, the last member counts, as in most JSON readers.
            if let index = places.updateValue(values.count, forKey: key) {
                values[index].1 = value
                places[key] = index
            } else {
                values.append((key, value))
            }
        }
        var writer = JSONWriter(capacity: 64)
        writer.object { writer in
            for (name, value) in values {
                writer.key(name)
                value.write(to: &writer)
            }
        }
        return writer.bytes
    }
}
