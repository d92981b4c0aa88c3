@_spi(Tooling) public import TelemetryModels

@_spi(Tooling)
extension JSONValue {
    /// A value that is JSON and is refused.
    public struct Fault: Error, CustomStringConvertible {
        public enum Reason: Sendable { case depth, number }

        public let reason: Reason
        /// The names of the members around the value, the outermost first.
        public fileprivate(set) var path: [String] = []

        public var description: String {
            switch reason {
            case .depth: "values are nested too deeply"
            case .number: "a number is beyond what a double holds"
            }
        }
    }

    /// Reads a value in time that is linear in its length, unlike a `Decoder`, for which it also grows with the depth.
    /// - Parameter depth: The largest number of arrays and objects, this one included. The reader's own is a limit, too.
    /// - Throws: ``Fault``, or ``JSONReaderError`` for what is not JSON.
    public init(reading reader: inout JSONReader, depth: Int = JSONReader.maximumDepth) throws {
        switch try reader.kind() {
        case .object:
            guard depth > 0 else { throw Fault(reason: .depth) }
            var members: [String: JSONValue] = [:]
            try reader.object { name, reader in
                do {
                    members[name] = try JSONValue(reading: &reader, depth: depth - 1)
                } catch var fault as Fault {
                    fault.path.insert(name, at: 0)
                    throw fault
                }
            }
            self = .object(members)
        case .array:
            guard depth > 0 else { throw Fault(reason: .depth) }
            var values: [JSONValue] = []
            try reader.array { values.append(try JSONValue(reading: &$0, depth: depth - 1)) }
            self = .array(values)
        case .string: self = .string(try reader.string())
        case .number: self = try Self.number(try reader.numberText())
        case .bool: self = .bool(try reader.bool())
        case .null:
            // Reads the word, of which only the first letter is known.
            _ = try reader.null()
            self = .null
        }
    }

    private static func number(_ text: String) throws -> JSONValue {
        // Only a double has a negative zero.
        if let value = Int64(text), value != 0 { return .int(value) }
        if let value = UInt64(text), value != 0 { return .unsigned(value) }
        guard let value = Double(text), value.isFinite else { throw Fault(reason: .number) }
        if value == 0 && value.sign == .minus { return .double(value) }
        return Int64(exactly: value).map(JSONValue.int) ?? .double(value)
    }
}
