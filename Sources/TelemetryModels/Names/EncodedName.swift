/// Encodes any string as a short ASCII name for files, URLs and record identifiers.
///
/// Two strings have the same name only if they are equal by Swift's `==`, also on case-insensitive file systems. Lower-case
/// letters and digits are kept; `_x` is an upper-case X; any other byte of the UTF-8 of Unicode's normalization form D is `.hh`
/// in hexadecimal. A name that would be too long is truncated and ends in `..` and the SHA-256 of the whole; two dots cannot
/// occur otherwise. A `-` never occurs and can separate parts.
package enum EncodedName {
    /// - Parameter limit: The maximum length of the name, in bytes; at least 80.
    package static func encode(_ text: String, limit: Int = 150) -> String {
        let normalized = CanonicalForm.utf8(of: text)
        if normalized.isEmpty { return "..empty" }
        var name: [UInt8] = []
        name.reserveCapacity(normalized.count + 8)
        for byte in normalized where name.count <= limit {
            append(byte, to: &name)
        }
        if name.count > limit {
            name.removeLast(name.count - (limit - 66))
            return String(decoding: name, as: UTF8.self) + ".." + SHA256.hexDigest(of: normalized)
        }
        return String(decoding: name, as: UTF8.self)
    }

    private static func append(_ byte: UInt8, to name: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            name.append(byte)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            name.append(UInt8(ascii: "_"))
            name.append(byte | 0x20)
        default:
            name.append(UInt8(ascii: "."))
            name.append(hexDigit(byte >> 4))
            name.append(hexDigit(byte & 15))
        }
    }

    static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
