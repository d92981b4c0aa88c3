import TelemetryModels

/// The schema's fields of one event, or of the context that several share, as they came.
struct WireEventFields {
    private typealias Field = TelemetrySchema.Field

    private(set) var texts: [TelemetrySchema.Field: String] = [:]
    private(set) var sequence: Int64?
    /// The attributes' members as JSON, which `null`s are left out of.
    private(set) var attributes: [UInt8]?

    init() {}

    /// Reads an object on top of a context: what the object leaves out, or says `null` to, is the context's.
    init(_ reader: inout JSONReader, context: WireEventFields, place: String) throws {
        self = context
        guard try reader.kind() == .object else { throw Problem.invalidArgument("\(place) has to be an object.") }
        try reader.object { key, reader in
            // What a later version of the schema adds is not known here.
            guard let field = Self.fields[key] else { return try reader.skip() }
            guard try !reader.null() else { return }
            switch field {
            case .sequence: sequence = try Self.sequence(&reader, place)
            case .attributes: attributes = try Self.attributes(&reader, place)
            case .eventTimestamp:
                let text = try Self.text(&reader, field, place)
                guard let normalized = WireTime.normalized(text) else {
                    throw Problem.invalidArgument("\(place).\(key) is not a time in RFC 3339, in UTC.")
                }
                texts[field] = normalized
            default: texts[field] = try Self.text(&reader, field, place)
            }
        }
    }

    private static let fields = Dictionary(uniqueKeysWithValues: TelemetrySchema.Field.allCases.map { ($0.rawValue, $0) })

    private static func text(_ reader: inout JSONReader, _ field: Field, _ place: String) throws -> String {
        guard try reader.kind() == .string else {
            throw Problem.invalidArgument("\(place).\(field.rawValue) has to be a text.")
        }
        return try reader.string()
    }

    private static func sequence(_ reader: inout JSONReader, _ place: String) throws -> Int64 {
        guard try reader.kind() == .number, case .int(let number) = try reader.number(), number >= 0 else {
            throw Problem.invalidArgument("\(place).sequence has to be a whole number, not below zero.")
        }
        return number
    }

    private static func attributes(_ reader: inout JSONReader, _ place: String) throws -> [UInt8] {
        guard try reader.kind() == .object else { throw Problem.invalidArgument("\(place).attributes has to be an object.") }
        var values: [(String, WireValue)] = []
        var places: [String: Int] = [:]
        try reader.object { key, reader in
            guard let value = try WireValue(&reader, name: "\(place).attributes.\(key)") else { return }
            // Of two members with one name the last counts, as most readers of JSON have it.
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
