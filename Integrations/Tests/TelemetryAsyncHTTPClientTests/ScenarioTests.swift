import AsyncHTTPClient
import NIOCore
import TelemetryAsyncHTTPClient
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
import Testing

/// What is logged while the scenario is off, on in some contexts, or changed during a request.
struct ScenarioTests {
    @Test("While the scenario is off, requests are sent, nothing is logged, and neither path nor time is evaluated")
    func off() async throws {
        let server = try LoopbackServer(.answers(200, body: "body"))
        defer { server.stop() }
        let bench = await NetworkBench(.init(isEnabled: false))
        let client = TelemetryHTTPClient(
            .shared, scenario: bench.scenario,
            elapsed: {
                Issue.record("the time was read")
                return .zero
            },
            path: { _ in
                Issue.record("the path was evaluated")
                return ""
            })
        let response = try await client.execute(.to(server), timeout: .minutes(1))
        #expect(try await String(buffer: response.body.collect(upTo: 4)) == "body")
        let stalling = try LoopbackServer(.stalls)
        defer { stalling.stop() }
        await #expect(throws: HTTPClientError.deadlineExceeded) { try await client.execute(.to(stalling), deadline: .now()) }
        #expect(try await bench.events.isEmpty)
    }

    @Test("At level info the start of a request is not logged")
    func info() async throws {
        let server = try LoopbackServer(.answers(200))
        defer { server.stop() }
        let bench = await NetworkBench(.init(isEnabled: true, level: .info))
        _ = try await TelemetryHTTPClient(scenario: bench.scenario).execute(.to(server), timeout: .minutes(1))
        #expect(try await bench.events.map(\.name) == ["request.finished"])
    }

    @Test("A request belongs to the context in which it is sent, and not to that in which its body is read or dropped")
    func conditional() async throws {
        let server = try LoopbackServer(.answers(200, body: "body"))
        defer { server.stop() }
        let bench = await NetworkBench(
            .init(
                isEnabled: true,
                contextConditions: [
                    TelemetryRuleCondition("user", .equals, ["4711"]), TelemetryRuleCondition("job", .notOneOf, ["import"]),
                ]))
        let client = TelemetryHTTPClient(scenario: bench.scenario)
        for (sender, reader) in [("4711", "4712"), ("4712", "4711")] {
            for isRead in [true, false] {
                let response = try await TelemetryContext.with(["user": sender]) {
                    try await client.execute(.to(server, "/of/\(sender)/\(isRead)"), timeout: .minutes(1))
                }
                try await TelemetryContext.with(["user": reader, "job": "import"]) { [response] in
                    if isRead { _ = try await response.body.collect(upTo: 4) }
                }
            }
        }
        #expect(server.requests.count == 4)
        let events = try await bench.events
        #expect(events.map(\.name) == ["request.started", "request.finished", "request.started", "request.finished"])
        #expect(events.map { $0.attributes["path"] } == ["/of/4711/true", "/of/4711/true", "/of/4711/false", "/of/4711/false"])
    }

    @Test("A request that began before its scenario was turned on is not logged")
    func turnedOn() async throws {
        let stream = LoopbackStream()
        let server = try LoopbackServer(.streams(stream))
        defer { server.stop() }
        let bench = await NetworkBench(.init(isEnabled: false))
        let response = try await TelemetryHTTPClient(scenario: bench.scenario).execute(.to(server), timeout: .minutes(1))
        await bench.set(.init(isEnabled: true))
        stream.end()
        _ = try await response.body.collect(upTo: 0)
        #expect(try await bench.events.isEmpty)
    }

    @Test("The end of a request is not logged if its scenario was turned off before")
    func turnedOff() async throws {
        let stream = LoopbackStream()
        let server = try LoopbackServer(.streams(stream))
        defer { server.stop() }
        let bench = await NetworkBench()
        let response = try await TelemetryHTTPClient(scenario: bench.scenario).execute(.to(server), timeout: .minutes(1))
        await bench.set(.init(isEnabled: false))
        stream.end()
        _ = try await response.body.collect(upTo: 0)
        #expect(try await bench.events.map(\.name) == ["request.started"])
    }
}
