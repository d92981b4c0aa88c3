import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// What is sent to webhooks.
enum WebhookMessage {
    /// A random identifier of a message.
    static func identifier(using generator: inout some RandomNumberGenerator) -> String {
        "msg_" + String((0..<24).map { _ in "0123456789abcdefghijklmnopqrstuvwxyz".randomElement(using: &generator) ?? "0" })
    }

    /// The body of a message that tests a webhook.
    static func sample(at date: Date) -> Data {
        var writer = JSONWriter(capacity: 256)
        writer.object { writer in
            writer.member("alert", "test")
            writer.member("firedAt", TimestampText.string(nearest: date))
            writer.member("count", 0)
            writer.member("query", "")
            writer.key("sample")
            writer.array([Int]()) { _, _ in }
        }
        return Data(writer.bytes)
    }
}

/// One attempt to send a message, as in the Standard Webhooks specification.
struct WebhookRequest: Sendable, Equatable {
    let url: String
    let headers: [String: String]
    let body: Data

    init(_ delivery: RelayDelivery, at date: Date) {
        let timestamp = "\(Int64(date.timeIntervalSince1970))"
        (url, body) = (delivery.webhook.url, delivery.body)
        headers = [
            "content-type": "application/json",
            "user-agent": "telemetry-relay",
            "webhook-id": delivery.message,
            "webhook-timestamp": timestamp,
            "webhook-signature": delivery.webhook.secret.signature(
                of: delivery.message, timestamp: timestamp, body: delivery.body),
        ]
    }
}
