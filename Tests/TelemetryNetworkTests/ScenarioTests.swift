import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryNetwork
@_spi(Tooling) import TelemetryTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What is logged while the scenario is off, on in some contexts, or changed during a request.
struct ScenarioTests {
    @Test("While the scenario is off, requests are sent, nothing is logged, and neither path nor time is evaluated")
    func off() async throws {
        let server = try LoopbackServer(.answers(200, body: "body"))
        defer { server.stop() }
        let bench = await NetworkBench(.init(isEnabled: false))
        let session = TelemetryURLSession(
            scenario: bench.scenario,
            elapsed: {
                Issue.record("the time was read")
                return .zero
            },
            path: { _ in
                Issue.record("the path was evaluated")
                return ""
            })
        let url = server.baseURL
        #expect(try await session.data(from: url).0 == Data("body".utf8))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        #expect(try await session.upload(for: request, from: Data("up".utf8)).0 == Data("body".utf8))
        try FileManager.default.removeItem(at: try await session.download(from: url).0)
        let (refusing, socket) = try LoopbackServer.refusingURL()
        await #expect(throws: URLError.self) { _ = try await session.data(from: refusing) }
        withExtendedLifetime(socket) {}
        #expect(try await bench.events.isEmpty)
        #expect(server.requests.count == 3)
    }

    @Test("At level info the start of a request is not logged")
    func info() async throws {
        let server = try LoopbackServer(.answers(200))
        defer { server.stop() }
        let bench = await NetworkBench(.init(isEnabled: true, level: .info))
        _ = try await TelemetryURLSession(scenario: bench.scenario).data(from: server.baseURL)
        #expect(try await bench.events.map(\.name) == ["request.finished"])
    }

    @Test("A scenario that is on for one user logs only that user's requests")
    func conditional() async throws {
        let server = try LoopbackServer(.answers(200))
        defer { server.stop() }
        let bench = await NetworkBench(
            .init(isEnabled: true, contextConditions: [TelemetryRuleCondition("user", .equals, ["4711"])]))
        let session = TelemetryURLSession(scenario: bench.scenario)
        let url = server.baseURL
        for user in ["4711", "4712"] {
            try await TelemetryContext.with(["user": user]) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try await session.data(from: url.appending(path: "of/\(user)")) }
                    try await group.waitForAll()
                }
            }
        }
        _ = try await session.data(from: url)
        #expect(try await bench.events.map { $0.attributes["path"] } == ["/of/4711", "/of/4711"])
        #expect(server.requests.count == 3)
    }

    @Test("A request that began before its scenario was turned on is not logged")
    func turnedOn() async throws {
        let stream = LoopbackStream()
        let server = try LoopbackServer(.streams(stream))
        defer { server.stop() }
        let bench = await NetworkBench(.init(isEnabled: false))
        let session = TelemetryURLSession(scenario: bench.scenario)
        async let result = session.data(from: server.baseURL)
        _ = await server.nextRequest()
        await bench.set(.init(isEnabled: true))
        stream.end()
        _ = try await result
        #expect(try await bench.events.isEmpty)
    }

    @Test("The end of a request is not logged if its scenario was turned off before")
    func turnedOff() async throws {
        let stream = LoopbackStream()
        let server = try LoopbackServer(.streams(stream))
        defer { server.stop() }
        let bench = await NetworkBench()
        let session = TelemetryURLSession(scenario: bench.scenario)
        async let result = session.data(from: server.baseURL)
        _ = await server.nextRequest()
        await bench.set(.init(isEnabled: false))
        stream.end()
        _ = try await result
        #expect(try await bench.events.map(\.name) == ["request.started"])
    }
}
