import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryRelay

struct TokenSecrecyTests {
    private let directory = TemporaryDirectory()

    @Test("Tokens and client keys are not in a log, in the database or in a response")
    func secrecy() async throws {
        let lines = KeepingLogHandler.Lines()
        var settings = RelayStorageConfiguration()
        settings.logger = Logger(label: "test") { _ in KeepingLogHandler(lines) }
        let storage = try SQLiteRelayStorage(file: directory.url.appending(path: "relay.sqlite"), configuration: settings)
        var configuration = RelayConfiguration()
        configuration.port = 0
        let application = try Relay.application(
            configuration: configuration, storage: storage,
            logger: Logger(label: "test") { _ in KeepingLogHandler(lines) })
        let key = String(repeating: "0123456789abcdef", count: 4)
        let other = String(repeating: "fedcba9876543210", count: 4)
        let made = try await application.testInTurn(.live) { client -> (tokens: [String], answers: String) in
            let relay = RelayBench(client: client, storage: storage)
            let (host, viewer) = (try await relay.token(.host), try await relay.token(.viewer))
            var answers: [String] = []
            for (token, key) in [(host, key), (host, other), (host + "x", key), (viewer, key)] {
                let caller = TestCaller(token: token)
                let headers: HTTPFields = [.telemetryClient: "a", .telemetryClientKey: key]
                for path in ["/v1/events", "/v1/server", "/v1/records/r", "/v1/events?no=\(token)", "/metrics", "/\(token)"] {
                    let answer = try await relay.send(.get, path, as: caller, headers: headers)
                    // A response may repeat the caller's own path or query.
                    if !path.contains(token) { answers.append("\(answer.headers) \(answer.text)") }
                }
                for body in [WireSample.batch(WireSample.event("1")), "{", WireSample.batch(WireSample.event("1", client: "b"))] {
                    let answer = try await relay.send(.post, "/v1/events", body, as: caller, headers: headers)
                    answers.append("\(answer.headers) \(answer.text)")
                }
            }
            return ([host, viewer], answers.joined(separator: "\n"))
        }
        try await storage.close()
        let files = try FileManager.default.contentsOfDirectory(at: directory.url, includingPropertiesForKeys: nil)
        let stored = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }.joined()
        #expect(!lines.text.isEmpty && stored.contains("SQLite"))
        for secret in made.tokens + [key, other] {
            #expect(!lines.text.contains(secret), "the log holds a secret")
            #expect(!stored.contains(secret), "the database holds a secret")
            #expect(!made.answers.contains(secret), "an answer holds a secret")
        }
    }
}
