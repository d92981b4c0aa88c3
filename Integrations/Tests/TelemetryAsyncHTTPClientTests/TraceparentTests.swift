import AsyncHTTPClient
import InMemoryTracing
import NIOCore
import NIOHTTP1
import NIOPosix
import TelemetryAsyncHTTPClient
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
import Testing

struct TraceparentTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    /// The headers `traceparent` that the server receives in each request, joined.
    private func received(
        trace: String?, header: String? = nil, isOn: Bool = true, count: Int = 1, client: HTTPClient = .shared
    ) async throws -> [String?] {
        let server = try LoopbackServer(.answers(200))
        defer { server.stop() }
        let bench = await NetworkBench(.init(isEnabled: isOn))
        let client = TelemetryHTTPClient(client, scenario: bench.scenario)
        var request = HTTPClientRequest.to(server)
        if let header { request.headers.add(name: "Traceparent", value: header) }
        for _ in 0..<count {
            _ = try await TelemetryContext.with(trace.map { ["trace_id": $0] } ?? [:]) { [request] in
                try await client.execute(request, timeout: .minutes(1))
            }
        }
        #expect(try await bench.events.allSatisfy { !"\($0)".contains(Self.trace) })
        return server.requests.map { request in
            let lines = request.head.split(whereSeparator: \.isNewline).filter { $0.lowercased().hasPrefix("traceparent: ") }
            return lines.isEmpty ? nil : lines.map { String($0.dropFirst(13)) }.joined(separator: ", ")
        }
    }

    @Test("The trace of the context is sent, each time with a new span", arguments: [true, false])
    func known(isOn: Bool) async throws {
        let headers = try await received(trace: Self.trace, isOn: isOn, count: 2)
        #expect(headers.count == 2 && headers[0] != headers[1])
        for header in headers {
            let header = try #require(header)
            let parts = try #require(header.wholeMatch(of: /00-([0-9a-f]{32})-([0-9a-f]{16})-01/))
            #expect(parts.1 == Self.trace)
            #expect(parts.2 != "0000000000000000")
        }
    }

    @Test("A request keeps its own trace")
    func own() async throws {
        let own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
        #expect(try await received(trace: Self.trace, header: own) == [own])
    }

    @Test("Without a valid trace, no header is set", arguments: [nil, "xyz", Self.trace.uppercased()])
    func invalid(trace: String?) async throws {
        #expect(try await received(trace: trace) == [nil])
    }

    @Test("A client with a tracer sends its own trace, so no header is set")
    func tracer() async throws {
        let tracer = InMemoryTracer()
        var configuration = HTTPClient.Configuration()
        configuration.tracing.tracer = tracer
        let client = HTTPClient(eventLoopGroup: .singletonMultiThreadedEventLoopGroup, configuration: configuration)
        #expect(try await received(trace: Self.trace, client: client) == [nil])
        try await client.shutdown()
        #expect(tracer.finishedSpans.count == 1)
    }
}
