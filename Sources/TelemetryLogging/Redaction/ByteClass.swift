/// What a byte of a string's UTF-8 can be part of.
enum ByteClass {
    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    static func isHexadecimal(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6 }

    static func isWord(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "_") }

    /// Whether the byte is a character of base64url (RFC 4648).
    static func isBase64URL(_ byte: UInt8) -> Bool { isWord(byte) || byte == UInt8(ascii: "-") }

    /// Whether the byte is a character of a token68 (RFC 9110).
    static func isToken(_ byte: UInt8) -> Bool { isBase64URL(byte) || "./+~=".utf8.contains(byte) }

    /// Whether the byte ends a URL: a blank, a control character, or one that delimits URLs in text (RFC 3986, appendix C).
    static func endsURL(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x7F || "\"<>".utf8.contains(byte) }
}
