import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import TelemetryAsyncHTTPClient
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
import Testing

struct RequestEventsTests {
    @Test("The start and the end of a request are logged, with the duration on the clock until the body ends")
    func finished() async throws {
        let clock = ManualClock()
        let server = try LoopbackServer { _ in
            clock.advance(by: .seconds(1))
            return .answers(200, body: "four")
        }
        defer { server.stop() }
        let bench = await NetworkBench()
        let client = TelemetryHTTPClient(.shared, scenario: bench.scenario, elapsed: { clock.now.offset })
        let response = try await client.execute(.to(server, "/users/a%20b"), timeout: .minutes(1))
        #expect(try await bench.events.map(\.name) == ["request.started"])
        clock.advance(by: .nanoseconds(500_000_400))
        #expect(try await String(buffer: response.body.collect(upTo: 4)) == "four")
        #expect(response.status == .ok)
        let events = try await bench.events
        #expect(events.map(\.name) == ["request.started", "request.finished"])
        #expect(events.map(\.level) == [.diagnostic, .info])
        #expect(events.map(\.scenario) == ["NetworkRequests", "NetworkRequests"])
        let common: [String: TelemetryValue] = ["method": "GET", "host": "127.0.0.1", "path": "/users/a%20b"]
        #expect(events[0].attributes == common)
        let more: [String: TelemetryValue] = ["status": 200, "duration": 1.5, "requestBytes": 0, "responseBytes": 4]
        #expect(events[1].attributes == common.merging(more) { $1 })
    }

    @Test("A response with any status is finished", arguments: [201, 400, 404, 429, 500, 503])
    func status(_ status: Int) async throws {
        let server = try LoopbackServer(.answers(status, body: "why"))
        defer { server.stop() }
        let bench = await NetworkBench()
        let response = try await TelemetryHTTPClient(scenario: bench.scenario).execute(.to(server), timeout: .minutes(1))
        #expect(response.status.code == status)
        _ = try await response.body.collect(upTo: 3)
        let event = try #require(try await bench.events.last)
        #expect(event.name == "request.finished")
        #expect(event.attributes["status"] == .int(Int64(status)))
        #expect(event.attributes["path"] == "/")
    }

    @Test(
        "A refused connection is failed, with the name and the number of the error that is thrown",
        arguments: [("127.0.0.1", "IOError"), ("localhost", "NIOConnectionError")])
    func refused(host: String, name: String) async throws {
        let (url, socket) = try LoopbackServer.refusingURL()
        defer { withExtendedLifetime(socket) {} }
        let bench = await NetworkBench()
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        let plain = HTTPClient(eventLoopGroup: .singletonMultiThreadedEventLoopGroup, configuration: configuration)
        let client = TelemetryHTTPClient(plain, scenario: bench.scenario, elapsed: { .zero })
        let target = "http://\(host.uppercased()):\(try #require(url.port))/orders"
        let error = await #expect(throws: (any Error).self) {
            try await client.execute(HTTPClientRequest(url: target), timeout: .minutes(1))
        }
        try await plain.shutdown()
        #expect(String(describing: type(of: try #require(error))) == name)
        let events = try await bench.events
        #expect(events.map(\.name) == ["request.started", "request.failed"])
        #expect(events.last?.level == .info)
        let expected: [String: TelemetryValue] = [
            "method": "GET", "host": .string(host), "path": "/orders", "error": .string(name),
            "code": .int(Int64(ECONNREFUSED)), "duration": 0.0,
        ]
        #expect(events.last?.attributes == expected)
    }

    @Test("A request after its deadline is failed with the name of the error, and no code")
    func deadline() async throws {
        let server = try LoopbackServer(.stalls)
        defer { server.stop() }
        let bench = await NetworkBench()
        let client = TelemetryHTTPClient(scenario: bench.scenario)
        await #expect(throws: HTTPClientError.deadlineExceeded) { try await client.execute(.to(server), deadline: .now()) }
        await #expect(throws: HTTPClientError.deadlineExceeded) { try await client.execute(.to(server), timeout: .zero) }
        let events = try await bench.events
        #expect(events.map(\.name) == ["request.started", "request.failed", "request.started", "request.failed"])
        #expect(events.last?.attributes["error"] == "HTTPClientError.deadlineExceeded")
        #expect(events.last?.attributes["code"] == nil)
    }

    @Test("Cancelling the task before the response is failed with the error cancelled")
    func cancelled() async throws {
        let server = try LoopbackServer(.stalls)
        defer { server.stop() }
        let bench = await NetworkBench()
        let client = TelemetryHTTPClient(scenario: bench.scenario)
        let task = Task { try await client.execute(.to(server), timeout: .minutes(1)) }
        _ = await server.nextRequest()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await server.departures()
        let event = try #require(try await bench.events.last)
        #expect(event.name == "request.failed")
        #expect(event.attributes["error"] == "cancelled" && event.attributes["code"] == nil)
    }

    @Test("After a redirection, the status is the last one, and the path the first one")
    func redirected() async throws {
        let elsewhere = try LoopbackServer(.answers(203))
        let server = try LoopbackServer(.answers(307, headers: ["Location": "\(elsewhere.baseURL)/to"]))
        defer {
            server.stop()
            elsewhere.stop()
        }
        let bench = await NetworkBench()
        _ = try await TelemetryHTTPClient(scenario: bench.scenario).execute(.to(server, "/from"), timeout: .minutes(1))
        #expect(elsewhere.requests.map(\.path) == ["/to"])
        let event = try #require(try await bench.events.last)
        #expect(event.attributes["status"] == 203 && event.attributes["path"] == "/from")
    }
}
