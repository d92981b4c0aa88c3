import TelemetryModels

/// Encodes identifiers as names that CloudKit accepts: ASCII, at most 255 characters, no leading underscore.
///
/// A valid name is not changed. Any other is encoded reversibly after a prefix: ASCII letters, digits and `-` are kept, any other
/// byte of the UTF-8 of Unicode's normalization form D is `.hh` in hexadecimal. If that is too long, it is hashed after another
/// prefix. So two strings have the same name exactly if they are equal by Swift's `==`.
package enum CloudKitName {
    package static let maximumLength = 255
    private static let escape = "encoded-"
    private static let hash = "hashed-"

    /// The record's name in CloudKit.
    package static func name(for recordName: String) -> String {
        if isPlain(recordName) { return recordName }
        let name = escape + escaped(recordName)
        return name.utf8.count <= maximumLength ? name : hash + EncodedName.encode(recordName, limit: 200)
    }

    /// The identity for a CloudKit name; nil if the name is a hash.
    package static func recordName(from name: String) -> String? {
        if name.hasPrefix(hash) { return nil }
        guard name.hasPrefix(escape) else { return name }
        return unescaped(name.dropFirst(escape.count)) ?? name
    }

    /// The record name of an event. Its identifier is kept in a field, so the name may be truncated and hashed.
    package static func eventName(for eventId: String) -> String { "event-" + EncodedName.encode(eventId, limit: 200) }

    /// Whether CloudKit accepts the text as a name of a field or a record type.
    package static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first), text.utf8.count <= maximumLength else { return false }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
    }

    static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in CanonicalForm.utf8(of: text) {
            if isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "."), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: ".") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digits.firstIndex(of:)),
                let low = rest.popFirst().flatMap(digits.firstIndex(of:))
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "_") else { return false }
        guard !text.hasPrefix(escape), !text.hasPrefix(hash) else { return false }
        return text.utf8.count <= maximumLength && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
}
