import Crypto
public import Foundation

/// Tokens' texts: made once, shown once, kept only as their hash.
public enum TokenText {
    /// A new token: 256 random bits.
    public static func make(using generator: inout some RandomNumberGenerator) -> String {
        let bytes = (0..<4).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
        let text = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        return "lt_\(text)"
    }

    /// The SHA-256 of a token.
    public static func hash(of text: String) -> Data { Data(SHA256.hash(data: Data(text.utf8))) }

    /// The token that an `Authorization` bears; nil for another scheme.
    static func borne(by authorization: String?) -> String? {
        guard let authorization, authorization.lowercased().hasPrefix("bearer ") else { return nil }
        let token = authorization.dropFirst("bearer ".count).drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }
}
