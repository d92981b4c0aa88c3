import Foundation
@_spi(Tooling) import TelemetryModels

/// A bearer token, kept only as its SHA-256.
public struct BearerToken: Sendable, Equatable {
    private let digest: [UInt8]

    /// - Parameter text: the token, or `sha256:` followed by the 64 hexadecimal digits of its hash; surrounding white space is
    ///   removed.
    /// - Throws: ``RelayConfigurationError`` if the token is empty or the hash is malformed.
    public init(written text: String) throws {
        let text = text.trimmingSpace
        guard !text.isEmpty else { throw RelayConfigurationError("the token is empty") }
        guard text.hasPrefix("sha256:") else {
            digest = Self.digest(of: text)
            return
        }
        let digits = text.utf8.dropFirst("sha256:".utf8.count).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        digest = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        guard text.utf8.count == "sha256:".utf8.count + 64, digest.count == 32 else {
            throw RelayConfigurationError("sha256: must be followed by 64 hexadecimal digits")
        }
    }

    /// Whether an `Authorization` header has this token. Compares in constant time.
    public func matches(authorization: String?) -> Bool {
        guard let authorization, authorization.lowercased().hasPrefix("bearer ") else { return false }
        let other = Self.digest(of: String(authorization.dropFirst("bearer ".count)).trimmingSpace)
        return zip(digest, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func digest(of text: String) -> [UInt8] { SHA256.digest(of: Array(text.utf8)) }
}

extension String {
    fileprivate var trimmingSpace: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
