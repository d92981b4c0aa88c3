import Foundation
import Testing

@testable import TelemetryRelay

/// Secrets, signatures and the operations of the `webhook` command.
struct WebhookTests {
    @Test("A secret is read and written as in the Standard Webhooks specification")
    func secrets() throws {
        let text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        #expect(WebhookSecret(text)?.text == text)
        let bytes = Data(repeating: 7, count: 64)
        #expect(WebhookSecret("whsec_\(bytes.base64EncodedString())")?.key == bytes)
        for wrong in [
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_", "whsec_????", "whsec_\(Data(count: 23).base64EncodedString())",
            "whsec_\(Data(count: 65).base64EncodedString())",
        ] { #expect(WebhookSecret(wrong) == nil) }
        var generator = SystemRandomNumberGenerator()
        let made = try #require(WebhookSecret.make(using: &generator))
        #expect(WebhookSecret(made.text) == made && made != WebhookSecret.make(using: &generator))
    }

    @Test("A request has the headers and the signature of the specification's example")
    func signature() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let delivery = RelayDelivery(
            webhook: RelayWebhook(name: "ops", url: "https://example.com/hook", secret: secret, created: .distantPast),
            message: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: Data(#"{"test": 2432232314}"#.utf8), attempts: 1, age: 0)
        let request = WebhookRequest(delivery, at: Date(timeIntervalSince1970: 1_614_265_330.9))
        #expect(request.url == "https://example.com/hook" && request.body == delivery.body)
        #expect(
            request.headers == [
                "content-type": "application/json", "user-agent": "telemetry-relay",
                "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
                "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ])
    }

    @Test("Webhooks are added, listed and removed; wrong names and URLs are refused; the audit does not have their paths")
    func commands() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        let webhooks = RelayWebhooks(storage: storage.webhooks)
        let made = try await webhooks.add("ops", url: "https://example.com/secret")
        #expect(made != nil)
        #expect(try await storage.webhooks.all().first?.secret == made)
        #expect(try await webhooks.add("chat room", url: "http://127.0.0.1:9/x", secret: made) == nil)
        #expect(try await webhooks.list() == ["chat room  http://127.0.0.1:9/x", "ops        https://example.com/secret"])
        await #expect(throws: RelayConfigurationError("a webhook is named ops already")) {
            try await webhooks.add("ops", url: "https://example.com")
        }
        for (name, url) in [
            ("", "https://a.b"), ("a\n", "https://a.b"), ("a", ""), ("a", "ftp://a.b"), ("a", "https://"),
            ("a", "https://u:p@a.b"),
            ("a", "https://a.b/#c"), ("a", "https://a.b/ c"), ("a", "https://a.b/\(String(repeating: "x", count: 2_000))"),
        ] {
            await #expect(throws: RelayConfigurationError.self, "\(name) \(url)") { try await webhooks.add(name, url: url) }
        }
        try await webhooks.remove("ops")
        await #expect(throws: RelayConfigurationError("no webhook is named ops")) { try await webhooks.remove("ops") }
        await #expect(throws: RelayConfigurationError("no webhook is named ops")) { try await webhooks.test("ops") }
        let entries = try await storage.audit.page(matching: .init(), after: nil, limit: 10, order: .ascending).entries
        #expect(
            entries.map { "\($0.entry.action.rawValue) \($0.entry.detail)" } == [
                "webhook.create ops host=example.com", #"webhook.create "chat room" host=127.0.0.1"#, "webhook.remove ops",
            ])
        try await storage.close()
    }
}
