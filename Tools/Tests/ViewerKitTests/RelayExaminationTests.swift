import Foundation
@_spi(Tooling) import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import ViewerKit

/// Tests against a server with scripted responses.
struct RelayExaminationTests {
    private static func server(
        role: String = "viewer", api: Int = 1, ahead seconds: TimeInterval = 0, scope: String = ""
    ) -> String {
        let time = Date(timeIntervalSinceNow: seconds).formatted(.iso8601)
        return #"{"name":"telemetry-relay","version":"9.9","api":\#(api),"time":"\#(time)","role":"\#(role)",\#(scope)"#
            + #""limits":{"bodyBytes":4194304,"batchEvents":5000,"saveRecords":400,"page":1000,"waitSeconds":60}}"#
    }

    private func location(_ server: LoopbackServer, token: String? = "s3cret") throws -> RelayLocation {
        RelayLocation(url: server.baseURL, token: try token.map { try AccessToken($0, source: "/token") })
    }

    private func findings(_ behaviours: @escaping @Sendable (LoopbackRequest) -> LoopbackServer.Behaviour) async throws
        -> [String]
    {
        let server = try LoopbackServer(answering: behaviours)
        defer { server.stop() }
        return await RelayExamination(try location(server)).findings().map { "\($0.severity) \($0.text)" }
    }

    @Test("A healthy relay is described by its version, role, clock, limits and storage")
    func healthy() async throws {
        let found = try await findings { $0.path == "/readyz" ? .answers(200) : .answers(200, body: Self.server()) }
        #expect(found.count == 5)
        #expect(found[0] == "ok the relay answers: telemetry-relay 9.9, interface 1")
        #expect(found[1] == "ok the token from /token has the role viewer")
        #expect(found[2].hasPrefix("ok the relay's clock and this machine's differ by "))
        #expect(found[3] == "ok limits: 4,194,304 bytes a body, 5,000 events a batch, 400 records a save, 1,000 events a page")
        #expect(found[4] == "ok the relay's storage is ready")
    }

    @Test("What a token is limited to is reported")
    func scope() async throws {
        let scope = #""scope":{"scenario":["Net"],"app":["com.*","org"]},"#
        let found = try await findings { _ in .answers(200, body: Self.server(scope: scope)) }
        #expect(found[1] == "ok the token from /token has the role viewer, limited to app=com.* app=org scenario=Net")
    }

    @Test("A reader's token, a wrong clock and unavailable storage are reported")
    func problems() async throws {
        let found = try await findings { request in
            request.path == "/readyz" ? .answers(503) : .answers(200, body: Self.server(role: "reader", ahead: 3_600))
        }
        #expect(found.contains { $0.hasPrefix("warning the token from /token has the role reader") })
        #expect(found.contains("warning the relay's clock is 60 min ahead of this machine's clock"))
        #expect(found.contains("error the relay's storage is not ready"))
    }

    @Test(
        "A clock difference within the error of the measurement is not a problem",
        arguments: [(9, 9, true), (9, 10.5, true), (0, 10.5, false), (9, 15, false), (9, -6, false), (9, -4, true)]
            as [(
                TimeInterval, TimeInterval, Bool
            )])
    func slowAnswer(duration: TimeInterval, ahead: TimeInterval, isFine: Bool) throws {
        let start = Date()
        let body = Data(Self.server(ahead: ahead).utf8)
        let relay = try #require(RelayDescription(body, request: DateInterval(start: start, duration: duration)))
        let location = try RelayLocation(url: #require(URL(string: "https://relay.example")), token: nil)
        let found = RelayExamination.findings(relay, of: location).first { $0.text.contains("clock") }
        #expect(found?.severity == (isFine ? .ok : .warning), "\(found?.text ?? "")")
    }

    @Test("Interfaces 1 and 2 are supported; another one is an error", arguments: [(0, false), (1, true), (2, true), (3, false)])
    func interfaces(api: Int, isSupported: Bool) async throws {
        let found = try await findings { _ in .answers(200, body: Self.server(api: api)) }
        let text = "the relay answers: telemetry-relay 9.9, interface \(api)"
        #expect(found[0] == (isSupported ? "ok \(text)" : "error \(text), but this tool supports interfaces 1 to 2"))
    }

    @Test("The token is not sent to the target of a redirect")
    func redirection() async throws {
        let other = try LoopbackServer(.answers(200, body: Self.server()))
        let server = try LoopbackServer(.answers(307, headers: ["Location": "\(other.baseURL)/v1/server"]))
        defer {
            other.stop()
            server.stop()
        }
        #expect(await RelayProbe(try location(server)).server() == .foreign(status: 307))
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer s3cret"])
        #expect(other.requests.isEmpty)
    }

    @Test(
        "An error is explained by the relay's response about the token",
        arguments: [
            (401, #"{"detail":"The token has expired."}"#, "t", "The relay's message: The token has expired."),
            (401, "{}", nil, "requires a token. Use --token-file FILE or set LIVE_TELEMETRY_TOKEN."),
            (200, RelayExaminationTests.server(role: "reader"), "t", "has the role reader, which may only read."),
            (
                200, RelayExaminationTests.server(role: "host"), "t",
                "has the role host. Use a token with the role viewer."
            ),
            (404, "<html>", "t", "responded with status 404, but is not a LiveTelemetry relay. Check the URL."),
            (200, "<html>", "t", "responded with status 200, but is not a LiveTelemetry relay. Check the URL."),
        ] as [(Int, String, String?, String)])
    func explained(status: Int, body: String, token: String?, text: String) async throws {
        let server = try LoopbackServer(.answers(status, body: body))
        defer { server.stop() }
        let error = TelemetryTransportError(code: .unauthorized, message: "The relay answered 403.")
        let failure = try await location(server, token: token).failure(describing: error)
        #expect(failure.message.contains(text), "\(failure.message)")
        #expect(failure.code == (text.contains("Check the URL") ? .unavailable : .noPermission))
        #expect(!failure.message.contains("s3cret"))
    }

    @Test("An unreachable relay is explained with what to check")
    func unreachable() async throws {
        let (url, socket) = try LoopbackServer.refusingURL()
        defer { withExtendedLifetime(socket) {} }
        let location = StoreLocation.relay(RelayLocation(url: url, token: nil))
        let error = await #expect(throws: TelemetryTransportError.self) {
            _ = try await location.open().fetchTelemetryClients()
        }
        let failure = await location.failure(describing: try #require(error))
        #expect(failure.code == .unavailable)
        #expect(failure.message.hasPrefix("The relay at \(url.absoluteString) cannot be reached: "))
        #expect(failure.message.hasSuffix(". Check the URL, and that the relay is running."))
    }
}
