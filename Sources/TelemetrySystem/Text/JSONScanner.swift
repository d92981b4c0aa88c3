/// Reads one JSON text from bytes, front to back. Every step returns nil or false if the bytes are not as expected.
@usableFromInline package struct JSONScanner {
    @usableFromInline let bytes: UnsafeBufferPointer<UInt8>
    /// Set only by this type; its hot methods are compiled into other modules.
    @usableFromInline package internal(set) var position: Int

    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        self.position = 0
    }

    /// Whether only whitespace is left.
    package mutating func isAtEnd() -> Bool {
        skipSpace()
        return position == bytes.count
    }

    /// The next byte that is not white space, without consuming it.
    @inlinable @inline(__always)
    package mutating func peek() -> UInt8? {
        skipSpace()
        return position < bytes.count ? bytes[position] : nil
    }

    @inlinable @inline(__always)
    package mutating func consume(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    package mutating func consume(literal text: StaticString) -> Bool {
        skipSpace()
        return consume(exactly: text)
    }

    /// Calls `member` with the raw bytes of each key, at the value, which it must consume.
    package mutating func readObject(
        _ member: (_ key: UnsafeBufferPointer<UInt8>, inout JSONScanner) -> Bool
    ) -> Bool {
        guard consume(UInt8(ascii: "{")) else { return false }
        if consume(UInt8(ascii: "}")) { return true }
        repeat {
            guard let key = rawString(), consume(UInt8(ascii: ":")), member(key.bytes, &self) else { return false }
        } while consume(UInt8(ascii: ","))
        return consume(UInt8(ascii: "}"))
    }

    /// Calls `element` at each element, which it must consume.
    package mutating func readArray(_ element: (inout JSONScanner) -> Bool) -> Bool {
        guard consume(UInt8(ascii: "[")) else { return false }
        if consume(UInt8(ascii: "]")) { return true }
        repeat { guard element(&self) else { return false } } while consume(UInt8(ascii: ","))
        return consume(UInt8(ascii: "]"))
    }

    package mutating func string() -> String? {
        guard let raw = rawString() else { return nil }
        return raw.hasEscapes ? Self.unescaped(raw.bytes) : Self.text(raw.bytes)
    }

    /// The next string, which is stored in `known`; if both are equal, returns `known` without creating a string.
    package mutating func string(orSameAs known: inout String) -> String? {
        guard let raw = rawString() else { return nil }
        if !raw.hasEscapes, known.withBytes({ $0.isIdentical(to: raw.bytes) }) { return known }
        guard let text = raw.hasEscapes ? Self.unescaped(raw.bytes) : Self.text(raw.bytes) else {
            return nil
        }
        known = text
        return text
    }

    /// The next string, from the pool if it is there.
    package mutating func string(from pool: inout TextPool) -> String? {
        guard let raw = rawString() else { return nil }
        return raw.hasEscapes ? Self.unescaped(raw.bytes) : pool.text(of: raw.bytes)
    }

    /// The next array of strings; nil if it has more than `limit`.
    package mutating func strings(limit: Int) -> [String]? {
        var texts: [String] = []
        let isRead = readArray { scanner in
            guard texts.count < limit, let text = scanner.string() else { return false }
            texts.append(text)
            return true
        }
        return isRead ? texts : nil
    }

    /// Consumes exactly these bytes, without white space before them.
    @inlinable @inline(__always)
    package mutating func consume(exactly text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count,
            UnsafeBufferPointer(rebasing: bytes[position..<position + count]).isIdentical(to: text)
        else { return false }
        position += count
        return true
    }

    /// The text of raw bytes between quotation marks.
    package static func text(ofRaw raw: UnsafeBufferPointer<UInt8>) -> String? {
        raw.contains(UInt8(ascii: "\\")) ? unescaped(raw) : text(raw)
    }

    /// Whether raw bytes between quotation marks are a valid string.
    package static func isText(_ raw: UnsafeBufferPointer<UInt8>) -> Bool { text(ofRaw: raw) != nil }

    /// The bytes between the quotation marks, including escapes.
    package mutating func rawString() -> (bytes: UnsafeBufferPointer<UInt8>, hasEscapes: Bool)? {
        guard consume(UInt8(ascii: "\"")) else { return nil }
        let start = position
        var hasEscapes = false
        while let end = bytes.firstSpecial(from: position) {
            switch bytes[end] {
            case UInt8(ascii: "\""):
                position = end + 1
                return (UnsafeBufferPointer(rebasing: bytes[start..<end]), hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                position = min(end + 2, bytes.count)
            default: return nil
            }
        }
        return nil
    }

    @inlinable @inline(__always)
    package mutating func unsigned() -> UInt64? {
        skipSpace()
        return digits()
    }

    /// A number without white space before it.
    @inlinable @inline(__always)
    package mutating func digits() -> UInt64? {
        var number: UInt64 = 0
        let start = position
        while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            if overflow || carry { return nil }
            number = sum
            position += 1
        }
        return position > start ? number : nil
    }

    /// The bytes of a JSON number.
    package mutating func rawNumber() -> UnsafeBufferPointer<UInt8>? {
        skipSpace()
        let start = position
        if position < bytes.count, bytes[position] == UInt8(ascii: "-") { position += 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: "0") { position += 1 } else if !skipDigits() { return nil }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            guard skipDigits() else { return nil }
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            guard skipDigits() else { return nil }
        }
        return UnsafeBufferPointer(rebasing: bytes[start..<position])
    }

    /// Returns false if there are none.
    @inline(__always)
    private mutating func skipDigits() -> Bool {
        let start = position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        return position > start
    }

    /// Skips `count` bytes.
    package mutating func skip(_ count: Int) -> Bool {
        guard bytes.count - position >= count else { return false }
        position += count
        return true
    }

    /// The bytes up to the next space or the end; skips the space.
    package mutating func word() -> UnsafeBufferPointer<UInt8>? {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: " ") { position += 1 }
        guard position > start else { return nil }
        let word = UnsafeBufferPointer(rebasing: bytes[start..<position])
        if position < bytes.count { position += 1 }
        return word
    }

    /// Skips any value; false if it is not JSON.
    package mutating func skipValue(depth: Int = 0) -> Bool {
        guard let next = peek(), depth < 64 else { return false }
        switch next {
        case UInt8(ascii: "\""): return string() != nil
        case UInt8(ascii: "{"):
            return readObject { key, scanner in Self.isText(key) && scanner.skipValue(depth: depth + 1) }
        case UInt8(ascii: "["): return readArray { $0.skipValue(depth: depth + 1) }
        case UInt8(ascii: "t"): return consume(literal: "true")
        case UInt8(ascii: "f"): return consume(literal: "false")
        case UInt8(ascii: "n"): return consume(literal: "null")
        default: return rawNumber() != nil
        }
    }

    @inlinable @inline(__always)
    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    /// Nil if the bytes are not valid UTF-8, which decoding would repair. (`String(validating:as:)` takes longer.)
    static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.withBytes { $0.isIdentical(to: bytes) } ? text : nil
    }

    private static func unescaped(_ raw: UnsafeBufferPointer<UInt8>) -> String? {
        var scanner = JSONScanner(raw)
        var text: [UInt8] = []
        text.reserveCapacity(raw.count)
        while scanner.position < raw.count {
            let byte = raw[scanner.position]
            scanner.position += 1
            if byte != UInt8(ascii: "\\") {
                text.append(byte)
            } else if !scanner.appendEscape(to: &text) {
                return nil
            }
        }
        return text.withUnsafeBufferPointer { Self.text($0) }
    }

    /// Reads the rest of an escape after its backslash (RFC 8259, section 7).
    private mutating func appendEscape(to text: inout [UInt8]) -> Bool {
        guard position < bytes.count else { return false }
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
            guard var value = hexadecimal() else { return false }
            if (0xD800..<0xDC00).contains(value) {
                guard consume(exactly: "\\u"), let low = hexadecimal(), (0xDC00..<0xE000).contains(low) else { return false }
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(value) else { return false }
            text.append(contentsOf: String(scalar).utf8)
        default: return false
        }
        return true
    }

    /// The number of four hexadecimal digits.
    private mutating func hexadecimal() -> UInt32? {
        guard bytes.count - position >= 4 else { return nil }
        var value: UInt32 = 0
        for byte in bytes[position..<position + 4] {
            guard byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        position += 4
        return value
    }
}
