import Foundation
import Hummingbird
import HummingbirdTesting
import TelemetryHTTP
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryRelay

extension OverHTTP {
    /// What a host's redaction removes, searched for on its way.
    struct RedactedEventsTests {
        private let host = TemporaryDirectory()
        private let relay = TemporaryDirectory()

        /// In each of them, all but the first word is secret.
        private static let secrets = [
            "mail someone@example.com", "Bearer tok.SECRET-77", "jwt eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl", "card 4111111111111111",
            "card 5555-5555-5555-4444", "address 10.20.30.40", "address 2001:db8::77:1",
            "url https://admin:hunter2@host.invalid/",
            "url https://host.invalid/path?session=hunter3#hunter4",
        ]
        private static let searched = [
            "someone@example.com", "tok.SECRET-77", "eyJhbGciOi", "4111111111111111", "5555-5555-5555-4444", "10.20.30.40",
            "2001:db8::77:1", "hunter2", "hunter3", "hunter4", "by-name-9",
        ]

        /// Logs each secret in each part of an event.
        private static func log(to logger: TelemetryLogger) {
            for secret in secrets {
                let long = String(repeating: "x ", count: 2_000) + secret
                for text in [secret, "(\(secret))", long] {
                    logger.logEvent(
                        name: "visible-7731", scenario: "On", level: .diagnostic, property1: text,
                        attributes: ["text": .string(text), "password": "by-name-9", "visible": "visible-7732"])
                }
            }
        }

        /// Expects that no file has a secret, and that the events are there.
        private static func search(_ directory: URL, for marker: String) throws {
            let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            // A directory has no content.
            let content = names.compactMap { try? Data(contentsOf: directory.appending(path: $0)) }
            #expect(content.contains { $0.range(of: Data(marker.utf8)) != nil }, "\(directory.lastPathComponent) has no event")
            for secret in searched {
                #expect(
                    !content.contains { $0.range(of: Data(secret.utf8)) != nil }, "\(directory.lastPathComponent) has \(secret)")
            }
        }

        @Test("What is redacted is neither in the host's files nor in the relay's, and in no answer")
        func nowhere() async throws {
            let storage = try SQLiteRelayStorage(file: relay.url.appending(path: "relay.sqlite"), configuration: .init())
            var configuration = RelayConfiguration()
            configuration.port = 0
            let application = try Relay.application(configuration: configuration, storage: storage, logger: Bench.logger())
            let (host, relay) = (host.url, relay.url)
            try await application.testInTurn(.live) { client in
                let bench = RelayBench(client: client, storage: storage)
                let port = try #require(client.port)
                let url = try #require(URL(string: "http://127.0.0.1:\(port)"))
                let credentials = TelemetryRelayCredentials.host(
                    token: try await bench.token(.host), secrets: InMemoryTelemetrySecretStore())
                let transport = HTTPTelemetryTransport(url: url, credentials: credentials)
                await transport.setClientIdentifier("client")
                let treatments = TelemetryRedaction.Pattern.allCases.map { ($0, TelemetryRedaction.Treatment.remove) }
                var redaction = TelemetryRedaction(
                    attributes: ["Password": .remove], patterns: Dictionary(uniqueKeysWithValues: treatments))
                redaction.patterns[.emailAddress] = .hash
                let logger = TelemetryLogger(
                    configuration: .init(batchSize: 1_000, spoolDirectory: host.appending(path: "spool"), redaction: redaction),
                    transport: transport, clock: ManualClock())
                await logger.setClientIdentifier("client")
                await logger.updateScenarios(["On": .init(isEnabled: true, level: .diagnostic)])
                await logger.activate(enabled: true)
                Self.log(to: logger)
                try Self.search(host, for: "visible-7732")
                await logger.flush()
                try Self.search(host, for: "visible-7732")
                let viewer = TestCaller(token: try await bench.token(.viewer))
                let answer = try await bench.send(.get, "/v1/events?limit=1000", as: viewer).text
                #expect(answer.components(separatedBy: "visible-7731").count == Self.secrets.count * 3 + 1)
                for secret in Self.searched { #expect(!answer.contains(secret), "an answer has \(secret)") }
                await logger.shutdown()
            }
            try await storage.close()
            try Self.search(relay, for: "client")
        }
    }
}
