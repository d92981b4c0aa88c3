import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// The schema fields of an event, or of the context that several events share, as received.
struct WireEventFields {
    var texts = FieldTexts()
    var sequence: Int64?
    /// Without `null`s.
    var attributes: [(name: String, value: WireValue)]?

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
            case .sequence: sequence = try Self.sequence(&reader, "\(place).\(key)")
            case .attributes: attributes = try Self.attributes(&reader, .json, "\(place).\(key)")
            case .eventTimestamp: texts[field] = try Self.time(&reader, .json, "\(place).\(key)")
            default: texts[field] = try Self.text(&reader, field, "\(place).\(key)")
            }
        }
    }

    private static let fields = Dictionary(uniqueKeysWithValues: TelemetrySchema.Field.allCases.map { ($0.rawValue, $0) })

    /// Whether the relay compares the field's text. A text that is only stored may contain anything.
    private static func isCompared(_ field: TelemetrySchema.Field) -> Bool {
        switch field {
        case .eventId, .eventName, .eventTimestamp, .sessionId, .clientId, .scenario, .logLevel: true
        default: false
        }
    }
}

/// Reads the values of single fields.
extension WireEventFields {
    static func text(
        _ reader: inout JSONReader, _ field: TelemetrySchema.Field, _ place: @autoclosure () -> String
    ) throws -> String {
        guard try reader.kind() == .string else { throw Problem.invalidArgument("\(place()) must be a string.") }
        return try isCompared(field) ? reader.name() : reader.string()
    }

    static func time(
        _ reader: inout JSONReader, _ form: EventForm, _ place: @autoclosure () -> String
    ) throws -> String {
        guard let time = WireTime.normalized(try text(&reader, .eventTimestamp, place()), form) else {
            throw Problem.invalidArgument("\(place()) is not an RFC 3339 time in UTC.")
        }
        return time
    }

    static func sequence(_ reader: inout JSONReader, _ place: @autoclosure () -> String) throws -> Int64 {
        guard try reader.kind() == .number, case .int(let number) = try reader.number(), number >= 0 else {
            throw Problem.invalidArgument("\(place()) must be a whole number of at least 0.")
        }
        return number
    }

    static func attributes(
        _ reader: inout JSONReader, _ form: EventForm, _ place: @autoclosure () -> String
    ) throws -> [(name: String, value: WireValue)] {
        guard try reader.kind() == .object else { throw Problem.invalidArgument("\(place()) must be an object.") }
        var values: [(name: String, value: WireValue)] = []
        var places: [String: Int] = [:]
        try reader.object { key, reader in
            guard let value = try WireValue(&reader, form, name: "\(place()).\(key)") else { return }
            // If a name occurs twice, the last member counts, as in most JSON readers.
            if let index = places.updateValue(values.count, forKey: key) {
                values[index].value = value
                places[key] = index
            } else {
                values.append((key, value))
            }
        }
        return values
    }

    /// - Parameter text: the name of the level; nil for the default.
    static func level(_ text: String?, _ place: @autoclosure () -> String) throws -> TelemetryLogLevel {
        guard let text else { return .info }
        guard let level = TelemetryLogLevel(rawValue: text) else {
            throw Problem.invalidArgument("\(place()) must be one of \(levels).")
        }
        return level
    }

    static var levels: String { TelemetryLogLevel.allCases.map(\.rawValue).joined(separator: ", ") }
}
