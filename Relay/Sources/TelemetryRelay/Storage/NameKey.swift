import Foundation
@_spi(Tooling) import TelemetryModels

/// The database key of an external text.
///
/// Two strings of at most 16 KiB have the same key if they are equal by Swift's `==`; longer ones, if their bytes are equal. Keys have a bounded length, so that long strings do not grow the
/// indexes. They are bytes, because SQLite and its drivers end a text at its first NUL.
enum NameKey {
    /// The maximum length in bytes of a text whose canonical form is computed, which takes seconds for some that are much longer.
    static let canonicalLimit = 16 << 10
    /// The maximum length in bytes of a text that is its own key. The key of a longer one is its SHA-256 after a byte that does
    /// not occur in UTF-8.
    private static let limit = 64
    private static let digest: UInt8 = 0xff

    static func data(of text: String) -> Data {
        var text = text
        let plain = text.withUTF8 { bytes in
            bytes.count <= limit && bytes.allSatisfy { $0 < 0x80 } ? Data(bytes) : nil
        }
        if let plain { return plain }
        let bytes = text.utf8.count <= canonicalLimit ? CanonicalText.utf8(of: text) : Array(text.utf8)
        return bytes.count <= limit ? Data(bytes) : Data([digest]) + Data(SHA256.digest(of: bytes))
    }

    /// Whether the key is that of a longer text.
    static func isDigest(_ key: Data) -> Bool { key.first == digest }

    /// The string that has this key; nil if other strings may have it too.
    static func text(of key: Data) -> String? {
        guard key.count <= limit else { return nil }
        return key.withUnsafeBytes { bytes in
            let isUnique = bytes.allSatisfy { byte in
                switch byte {
                // The only ASCII characters that are the canonical form of another one: those of U+212A, U+037E and U+1FEF.
                case UInt8(ascii: "K"), UInt8(ascii: ";"), UInt8(ascii: "`"): false
                default: byte < 0x80
                }
            }
            return isUnique ? String(decoding: bytes, as: UTF8.self) : nil
        }
    }

    /// The key of an absent text, which equals that of an empty text.
    static let none = Data()
}

extension NamePattern {
    /// Whether it matches the name with this key. A name that is too long to be its own key is matched by `*` and by itself alone.
    func matches(key: Data) -> Bool {
        guard hasStar else { return NameKey.data(of: text) == key }
        guard !NameKey.isDigest(key) else { return canonical.allSatisfy { $0 == Self.star } }
        return Self.matches(canonical, Array(key))
    }
}
