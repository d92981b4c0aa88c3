import Foundation
@_spi(Tooling) import TelemetryModels

/// The key of a webhook's signatures: 24 to 64 bytes. As text, `whsec_` and base64, as in the Standard Webhooks specification.
public struct WebhookSecret: Sendable, Equatable {
    /// The allowed numbers of bytes.
    static let lengths = 24...64
    private static let prefix = "whsec_"
    private static let newLength = 32

    let key: Data

    /// - Returns: nil if the text is not a secret.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), let key = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))) else {
            return nil
        }
        self.init(key: key)
    }

    /// - Returns: nil if the length is not allowed.
    init?(key: Data) {
        guard Self.lengths.contains(key.count) else { return nil }
        self.key = key
    }

    /// A random secret.
    static func make(using generator: inout some RandomNumberGenerator) -> WebhookSecret? {
        WebhookSecret(key: Data((0..<newLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))
    }

    public var text: String { Self.prefix + key.base64EncodedString() }

    /// The header `webhook-signature` of a message.
    /// - Parameter timestamp: the header `webhook-timestamp`.
    func signature(of message: String, timestamp: String, body: Data) -> String {
        let code = HMACSHA256.code(of: Array("\(message).\(timestamp).".utf8) + body, key: Array(key))
        return "v1," + Data(code).base64EncodedString()
    }
}
