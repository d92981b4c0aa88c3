extension JSONReader {
    mutating func string() throws -> String {
        try expect(UInt8(ascii: "\""))
        let start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                defer { position += 1 }
                return try text(UnsafeBufferPointer(rebasing: bytes[start..<position]))
            case UInt8(ascii: "\\"): return try escapedString(from: start)
            case 0..<0x20: throw malformed("a string contains a control character")
            default: position += 1
            }
        }
        throw malformed("a string is not terminated")
    }

    /// A string that will be compared or hashed.
    mutating func name() throws -> String {
        let name = try string()
        guard StreamSafeText.isSafe(name) else { throw malformed("a name \(StreamSafeText.fault)") }
        return name
    }

    /// Checks the names of all members in a text that another reader reads.
    static func checkNames(in bytes: some Sequence<UInt8>) throws {
        func check(_ bytes: UnsafeBufferPointer<UInt8>) throws {
            var reader = JSONReader(bytes)
            while reader.position < bytes.count {
                guard bytes[reader.position] == UInt8(ascii: "\"") else {
                    reader.position += 1
                    continue
                }
                let start = reader.position
                _ = try reader.string()
                guard try reader.position < bytes.count && reader.peek() == UInt8(ascii: ":") else { continue }
                reader.position = start
                _ = try reader.name()
            }
        }
        if try bytes.withContiguousStorageIfAvailable(check) == nil { try Array(bytes).withUnsafeBufferPointer(check) }
    }

    /// The text of a number.
    mutating func numberText() throws -> UnsafeBufferPointer<UInt8> {
        _ = try peek()
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            try digits()
        }
        return UnsafeBufferPointer(rebasing: bytes[start..<position])
    }

    /// Reads a number. One without fraction and exponent is a 64-bit integer, any other a double.
    mutating func number() throws -> JSONNumber {
        let text = String(decoding: try numberText(), as: UTF8.self)
        if text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }) {
            guard let value = Double(text), value.isFinite else { throw malformed("a number exceeds the range of a double") }
            return .double(value)
        }
        guard let value = Int64(text) else { throw malformed("an integer exceeds 64 bits") }
        return .int(value)
    }

    private mutating func digits() throws {
        let start = position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        guard position > start else { throw malformed("a number lacks a digit") }
    }

    private func text(_ bytes: UnsafeBufferPointer<UInt8>) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw malformed("a string is not UTF-8") }
        return text
    }

    /// Reads the rest of a string from its first escape.
    private mutating func escapedString(from start: Int) throws -> String {
        var unescaped = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try unescaped.withUnsafeBufferPointer { try text($0) }
            case UInt8(ascii: "\\"): try appendEscape(to: &unescaped)
            case 0..<0x20: throw malformed("a string contains a control character")
            default: unescaped.append(byte)
            }
        }
        throw malformed("a string is not terminated")
    }

    private mutating func appendEscape(to text: inout [UInt8]) throws {
        guard position < bytes.count else { throw malformed("a string is not terminated") }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var value = try hexadecimal()
            if (0xD800..<0xDC00).contains(value) {
                guard bytes.count - position >= 6, bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
                else { throw malformed("a surrogate is unpaired") }
                position += 2
                let low = try hexadecimal()
                guard (0xDC00..<0xE000).contains(low) else { throw malformed("a surrogate is unpaired") }
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(value) else { throw malformed("a surrogate is unpaired") }
            text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        default: throw malformed("an escape is invalid")
        }
    }

    private mutating func hexadecimal() throws -> UInt32 {
        guard bytes.count - position >= 4 else { throw malformed("an escape is truncated") }
        var value: UInt32 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw malformed("an escape is not a hexadecimal number")
            }
            value = value << 4 | UInt32(digit)
        }
        position += 4
        return value
    }
}

/// A JSON number, either an integer or a double.
enum JSONNumber: Equatable {
    case int(Int64)
    case double(Double)
}
