/// The stored form is plain JSON for strings, Booleans, integers and numbers with a fraction. A date is `{"date":
/// "2026-11-21T08:00:00.000Z"}`; a double without a fraction, which would be read as an integer, is `{"double": 1}`; a double
/// that JSON cannot represent is `{"double": "inf"}` (also `-inf`, `-0.0` and `nan`, whose payload is lost). Unknown members are
/// ignored; `date` takes precedence over `double`.
extension TelemetryValue: Codable {
    private enum TaggedKey: String, CodingKey { case date, double }

    public init(from decoder: any Decoder) throws {
        if let tagged = try? decoder.container(keyedBy: TaggedKey.self) {
            self = try Self(tagged: tagged)
            return
        }
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a value is text, a number, a flag, {\"date\": …} or {\"double\": …}")
        }
    }

    private init(tagged: KeyedDecodingContainer<TaggedKey>) throws {
        if tagged.contains(.date) {
            self = .date(try tagged.decodeTimestamp(forKey: .date))
        } else if let number = try? tagged.decode(Double.self, forKey: .double) {
            self = .double(number)
        } else {
            let text = try tagged.decode(String.self, forKey: .double)
            guard let number = Self.number(from: text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .double, in: tagged, debugDescription: "\(text) is not a number")
            }
            self = .double(number)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .string(let value): try Self.encode(bare: value, to: encoder)
        case .int(let value): try Self.encode(bare: value, to: encoder)
        case .bool(let value): try Self.encode(bare: value, to: encoder)
        case .double(let value) where value.isFinite && value != value.rounded():
            try Self.encode(bare: value, to: encoder)
        case .double(let value):
            var container = encoder.container(keyedBy: TaggedKey.self)
            // A string keeps the sign of a negative zero and the values that JSON cannot represent.
            if value.isFinite, value != 0 || value.sign == .plus {
                try container.encode(value, forKey: .double)
            } else {
                try container.encode(Self.text(of: value), forKey: .double)
            }
        case .date(let value):
            var container = encoder.container(keyedBy: TaggedKey.self)
            try container.encodeTimestamp(value, forKey: .date)
        }
    }

    /// The text of a number that JSON cannot represent.
    package static func text(of number: Double) -> String { number.isNaN ? "nan" : number.description }

    /// The number that ``text(of:)`` encoded as this text.
    package static func number(from text: String) -> Double? { Double(text) }

    private static func encode(bare value: some Encodable, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
