public import Foundation
@_spi(Tooling) import TelemetryModels

/// Creates, parses and hashes the strings of tokens. Only the hash is stored.
public enum TokenText {
    /// A new token: 256 random bits.
    public static func make(using generator: inout some RandomNumberGenerator) -> String {
        let bytes = (0..<4).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
        let text = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        return "lt_\(text)"
    }

    /// The SHA-256 of a token.
    public static func hash(of text: String) -> Data { Data(SHA256.digest(of: Array(text.utf8))) }

    /// The token in an `Authorization` header; nil for another scheme.
    static func bearerToken(in authorization: String?) -> String? {
        guard let authorization, authorization.lowercased().hasPrefix("bearer ") else { return nil }
        let token = authorization.dropFirst("bearer ".count).drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }
}
