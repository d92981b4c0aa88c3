import Foundation

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
