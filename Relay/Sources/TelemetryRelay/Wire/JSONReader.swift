/// Reads one untrusted JSON text in a single pass.
///
/// The first byte of a value determines its type, so there is no backtracking. The nesting depth is limited, which bounds the
/// time and stack that a sender can cause to be used.
struct JSONReader {
    /// The maximum nesting depth. The deepest meaningful value is a record's date, at five.
    static let maximumDepth = 32

    enum Kind: Equatable { case object, array, string, number, bool, null }

    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    private var depth = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Reads a complete text: one value, followed by white space only.
    static func read<Result>(
        _ bytes: some Sequence<UInt8>, _ body: (inout JSONReader) throws -> Result
    ) throws -> Result {
        func run(_ buffer: UnsafeBufferPointer<UInt8>) throws -> Result {
            var reader = JSONReader(buffer)
            let result = try body(&reader)
            reader.skipSpace()
            guard reader.position == buffer.count else { throw reader.malformed("there is more than one value") }
            return result
        }
        if let result = try bytes.withContiguousStorageIfAvailable(run) { return result }
        return try Array(bytes).withUnsafeBufferPointer(run)
    }

    func malformed(_ reason: String) -> JSONReaderError {
        JSONReaderError("\(reason) (at byte \(position))")
    }

    /// The type of the next value, by its first byte.
    mutating func kind() throws -> Kind {
        skipSpace()
        guard position < bytes.count else { throw malformed("the text is truncated") }
        switch bytes[position] {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: throw malformed("this is not JSON")
        }
    }

    /// Calls `member` with each key. It must consume the value.
    mutating func object(_ member: (String, inout JSONReader) throws -> Void) throws {
        try enter(UInt8(ascii: "{"))
        defer { depth -= 1 }
        if consume(UInt8(ascii: "}")) { return }
        repeat {
            let key = try name()
            try expect(UInt8(ascii: ":"))
            try member(key, &self)
        } while consume(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
    }

    /// Calls `element` for each element, which it must consume.
    mutating func array(_ element: (inout JSONReader) throws -> Void) throws {
        try enter(UInt8(ascii: "["))
        defer { depth -= 1 }
        if consume(UInt8(ascii: "]")) { return }
        repeat { try element(&self) } while consume(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
    }

    mutating func bool() throws -> Bool {
        let isTrue = try peek() == UInt8(ascii: "t")
        try literal(isTrue ? "true" : "false")
        return isTrue
    }

    /// Skips `null`; returns false if the next value is something else.
    mutating func null() throws -> Bool {
        guard try peek() == UInt8(ascii: "n") else { return false }
        try literal("null")
        return true
    }

    /// Skips any value.
    mutating func skip() throws {
        switch try kind() {
        case .object: try object { _, reader in try reader.skip() }
        case .array: try array { reader in try reader.skip() }
        case .string: _ = try string()
        case .number: _ = try numberText()
        case .bool: _ = try bool()
        case .null: _ = try null()
        }
    }

    mutating func peek() throws -> UInt8 {
        skipSpace()
        guard position < bytes.count else { throw malformed("the text is truncated") }
        return bytes[position]
    }

    mutating func expect(_ byte: UInt8) throws {
        guard consume(byte) else {
            throw malformed(position < bytes.count ? "this is not JSON" : "the text is truncated")
        }
    }

    private mutating func consume(_ byte: UInt8) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func enter(_ byte: UInt8) throws {
        try expect(byte)
        guard depth < Self.maximumDepth else { throw malformed("values are nested deeper than \(Self.maximumDepth)") }
        depth += 1
    }

    private mutating func literal(_ text: StaticString) throws {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count,
            bytes[position..<position + count].elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: count))
        else { throw malformed("this is not JSON") }
        position += count
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }
}

/// Malformed JSON.
struct JSONReaderError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
