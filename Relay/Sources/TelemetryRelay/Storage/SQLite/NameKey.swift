import Crypto
import Foundation
@_spi(Tooling) import TelemetryModels

/// What a text from outside is found by in the database.
///
/// Two texts have the same key where Swift's `==` calls them equal. A key is short, however long the text, so that no index grows with
/// what a stranger sends; and it is bytes, because SQLite and its drivers end a text at its first NUL.
enum NameKey {
    /// The longest text that stands there itself, in bytes; of a longer one, its SHA-256 behind a byte that UTF-8 does not have.
    private static let limit = 64

    static func data(of text: String) -> Data {
        var text = text
        let plain = text.withUTF8 { bytes in
            bytes.count <= limit && bytes.allSatisfy { $0 < 0x80 } ? Data(bytes) : nil
        }
        if let plain { return plain }
        let bytes = CanonicalText.utf8(of: text)
        return bytes.count <= limit ? Data(bytes) : Data([0xff]) + Data(SHA256.hash(data: bytes))
    }

    /// The key of no text at all, which is that of an empty one too.
    static let none = Data()
}
