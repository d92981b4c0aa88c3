import TelemetryModels

/// Reads one untrusted JSON text in a single pass, with a reason for what is refused; for the project's packages, not part
/// of the interface.
///
/// The first byte of a value determines its type, so there is no backtracking. The nesting depth is limited, which bounds the
/// time and stack that a sender can cause to be used.
@_spi(Tooling)
public struct JSONReader {
    /// The maximum nesting depth unless another is given. The deepest meaningful value is a record's date, at five.
    public static let maximumDepth = 32

    public enum Kind: Equatable { case object, array, string, number, bool, null }

    private var scanner: JSONScanner
    private let maximumDepth: Int
    private var depth = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int = Self.maximumDepth) {
        self.maximumDepth = maximumDepth
        scanner = JSONScanner(bytes)
    }

    /// Reads a complete text: one value, followed by white space only. The reader, and any copy of it, may be used only within
    /// the body.
    public static func read<Result>(
        _ bytes: some Sequence<UInt8>, maximumDepth: Int = Self.maximumDepth, _ body: (inout JSONReader) throws -> Result
    ) throws -> Result {
        func run(_ buffer: UnsafeBufferPointer<UInt8>) throws -> Result {
            var reader = JSONReader(buffer, maximumDepth: maximumDepth)
            let result = try body(&reader)
            guard reader.scanner.isAtEnd() else { throw reader.malformed("there is more than one value") }
            return result
        }
        if let result = try bytes.withContiguousStorageIfAvailable(run) { return result }
        return try Array(bytes).withUnsafeBufferPointer(run)
    }

    private func malformed(_ reason: String) -> JSONReaderError {
        JSONReaderError("\(reason) (at byte \(scanner.position))")
    }

    /// The type of the next value, by its first byte.
    public mutating func kind() throws -> Kind {
        switch try peek() {
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
    public mutating func object(_ member: (String, inout JSONReader) throws -> Void) throws {
        try enter(UInt8(ascii: "{"))
        defer { depth -= 1 }
        if scanner.consume(UInt8(ascii: "}")) { return }
        repeat {
            let key = try name()
            try expect(UInt8(ascii: ":"))
            try member(key, &self)
        } while scanner.consume(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
    }

    /// Calls `element` for each element, which it must consume.
    public mutating func array(_ element: (inout JSONReader) throws -> Void) throws {
        try enter(UInt8(ascii: "["))
        defer { depth -= 1 }
        if scanner.consume(UInt8(ascii: "]")) { return }
        repeat { try element(&self) } while scanner.consume(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
    }

    public mutating func bool() throws -> Bool {
        if scanner.consume(literal: "true") { return true }
        guard scanner.consume(literal: "false") else { throw malformed("this is not JSON") }
        return false
    }

    /// Skips `null`; returns false if the next value is something else.
    public mutating func null() throws -> Bool {
        guard try peek() == UInt8(ascii: "n") else { return false }
        guard scanner.consume(literal: "null") else { throw malformed("this is not JSON") }
        return true
    }

    public mutating func string() throws -> String {
        guard try peek() == UInt8(ascii: "\"") else { throw malformed("this is not JSON") }
        let start = scanner.position
        guard let text = scanner.string() else { throw Self.fault(ofStringIn: scanner.bytes, at: start) }
        return text
    }

    /// Why the string that begins at an index cannot be read.
    private static func fault(ofStringIn bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> JSONReaderError {
        func error(_ reason: String, _ index: Int) -> JSONReaderError { JSONReaderError("\(reason) (at byte \(index))") }
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] < 0x20 { return error("a string contains a control character", index) }
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < bytes.count else { return error("a string is not terminated", bytes.count) }
        let content = UnsafeBufferPointer(rebasing: bytes[start + 1..<index])
        let isUTF8 = String(validating: content, as: UTF8.self) != nil
        return error(isUTF8 ? "a string has an invalid escape" : "a string is not UTF-8", start)
    }

    /// A string that will be compared or hashed.
    public mutating func name() throws -> String {
        let name = try string()
        guard StreamSafeText.isSafe(name) else { throw malformed("a name \(StreamSafeText.fault)") }
        return name
    }

    /// Reads a number. One without fraction and exponent is a 64-bit integer, any other a double.
    public mutating func number() throws -> JSONNumber {
        let text = try numberText()
        if text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }) {
            guard let value = Double(text), value.isFinite else { throw malformed("a number exceeds the range of a double") }
            return .double(value)
        }
        guard let value = Int64(text) else { throw malformed("an integer exceeds 64 bits") }
        return .int(value)
    }

    /// Reads a number in the form of lines, in which a whole one is an integer even if it has a fraction or an exponent.
    public mutating func lineNumber() throws -> JSONNumber {
        var reader = self
        if let value = JSONScanner.number(try rawNumber())?.intValue { return .int(value) }
        // Refuses integers beyond 64 bits.
        return try reader.number()
    }

    /// Reads a number as its text.
    public mutating func numberText() throws -> String { String(decoding: try rawNumber(), as: UTF8.self) }

    /// Reads a value with `body`, and returns the checksum of its bytes as well.
    public mutating func checksummed<Result>(
        _ body: (inout JSONReader) throws -> Result
    ) throws -> (result: Result, checksum: String) {
        _ = try peek()
        let start = scanner.position
        let result = try body(&self)
        let bytes = UnsafeBufferPointer(rebasing: scanner.bytes[start..<scanner.position])
        return (result, LineChecksum.text(of: UnsafeRawBufferPointer(bytes)))
    }

    /// Skips any value.
    public mutating func skip() throws {
        switch try kind() {
        case .object: try object { _, reader in try reader.skip() }
        case .array: try array { reader in try reader.skip() }
        case .string: _ = try string()
        case .number: _ = try rawNumber()
        case .bool: _ = try bool()
        case .null: _ = try null()
        }
    }

    /// Skips an array or an object of any depth. Only its strings and brackets are looked at.
    public mutating func skipContainer() throws {
        var open = 0
        repeat {
            switch try peek() {
            case UInt8(ascii: "\""): _ = try string()
            case let byte:
                if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") { open += 1 }
                if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") { open -= 1 }
                _ = scanner.skip(1)
            }
        } while open > 0
    }

    private mutating func peek() throws -> UInt8 {
        guard let byte = scanner.peek() else { throw malformed("the text is truncated") }
        return byte
    }

    private mutating func expect(_ byte: UInt8) throws {
        guard try peek() == byte, scanner.consume(byte) else { throw malformed("this is not JSON") }
    }

    private mutating func enter(_ byte: UInt8) throws {
        try expect(byte)
        guard depth < maximumDepth else { throw malformed("values are nested deeper than \(maximumDepth)") }
        depth += 1
    }

    private mutating func rawNumber() throws -> UnsafeBufferPointer<UInt8> {
        _ = try peek()
        guard let text = scanner.rawNumber() else { throw malformed("a number lacks a digit") }
        return text
    }
}

/// A JSON number, either an integer or a double.
@_spi(Tooling)
public enum JSONNumber: Equatable {
    case int(Int64)
    case double(Double)
}

/// Malformed JSON.
@_spi(Tooling)
public struct JSONReaderError: Error, CustomStringConvertible {
    public let description: String

    fileprivate init(_ description: String) { self.description = description }
}
