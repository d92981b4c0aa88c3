@_spi(Tooling)
extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            // Only a double has a negative zero.
            self = value == 0 && (try? container.decode(Double.self))?.sign == .minus ? .double(-0.0) : .int(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([JSONValue].self))
        } else {
            do {
                self = .object(try container.decode([String: JSONValue].self))
            } catch DecodingError.typeMismatch(_, let context) where context.codingPath.count == decoder.codingPath.count {
                // The only JSON that no case takes is a number out of a double's range, or a container of one.
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "a number is beyond what a double holds")
            }
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        // The negative zero is the only whole number without an integer.
        if case .double(let value) = self, value == 0, value.sign == .minus { return try container.encode(value) }
        // Whole numbers are encoded with all digits: `1.007436615595234e+17` would be decoded as another integer.
        switch canonical {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        // `JSONEncoder` throws for these, and one value must not prevent a whole batch from being sent.
        case .double(let value) where value.isNaN: try container.encode("NaN")
        case .double(let value) where value.isInfinite: try container.encode(value < 0 ? "-Infinity" : "Infinity")
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}
