import AsyncHTTPClient
import Hummingbird
import HummingbirdTesting
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

@testable import TelemetryRelay

/// Requests to an issuer over HTTP.
@Suite(.timeLimit(.minutes(5)))
struct IssuerConnectionTests {
    @Test("An answer that begins and does not end is given up after ten seconds")
    func endless() async throws {
        let clock = ManualClock()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (waiting, release) = AsyncStream<Void>.makeStream()
        let router = Router()
        router.get("keys") { _, _ in
            Response(
                status: .ok,
                body: .init { writer in
                    try await writer.write(ByteBuffer(string: "{"))
                    begin.yield()
                    for await _ in waiting {}
                    try await writer.finish(nil)
                })
        }
        try await Application(router: router).testInTurn(.live) { server in
            defer { release.finish() }
            let port = try #require(server.port)
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            let answer = Task {
                try await IssuerConnection.answer(
                    to: HTTPClientRequest(url: "http://127.0.0.1:\(port)/keys"), with: client, clock: clock)
            }
            for await _ in begun { break }
            await clock.sleepers()
            clock.advance(by: .seconds(10))
            await #expect(throws: IssuerError.self) { try await answer.value }
            try await client.shutdown()
        }
    }
}
