#if DEBUG || TELEMETRY_RELAY
extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            // A zero has a sign only as a double.
            self = value == 0 && (try? container.decode(Double.self))?.sign == .minus ? .double(-0.0) : .int(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if (try? decoder.unkeyedContainer()) != nil {
            try Self.checkDepth(of: decoder)
            self = .array(try container.decode([JSONValue].self))
        } else {
            try Self.checkDepth(of: decoder)
            do {
                self = .object(try container.decode([String: JSONValue].self))
            } catch DecodingError.typeMismatch(_, let context) where context.codingPath.count == decoder.codingPath.count {
                // What JSON can hold and is none of these is a number, or a list with one.
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "a number is beyond what a double holds")
            }
        }
    }

    /// A server decodes what anybody sends: each value costs as much as it is deep.
    private static func checkDepth(of decoder: any Decoder) throws {
        #if TELEMETRY_RELAY
        // In front of a payload's values stand the batch, the index, the payload and a key.
        guard decoder.codingPath.count < 4 + 64 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: Array(decoder.codingPath.dropLast(64)), debugDescription: "values are nested deeper than 64"))
        }
        #endif
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        // Of the whole numbers one has no integer: the zero below zero.
        if case .double(let value) = self, value == 0, value.sign == .minus { return try container.encode(value) }
        // The others are written with all their digits: `1.007436615595234e+17` would read back as another integer.
        switch canonical {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        // An encoder throws at these, and one of them would keep the whole batch from being sent.
        case .double(let value) where value.isNaN: try container.encode("NaN")
        case .double(let value) where value.isInfinite: try container.encode(value < 0 ? "-Infinity" : "Infinity")
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}
#endif
