import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryNetwork
@_spi(Tooling) import TelemetryTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct TraceparentTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    /// The header `traceparent` that the server receives.
    private func received(
        trace: String?, header: String? = nil, isOn: Bool = true, count: Int = 1
    ) async throws -> [String?] {
        let server = try LoopbackServer(.answers(200))
        defer { server.stop() }
        let bench = await NetworkBench(.init(isEnabled: isOn))
        let session = TelemetryURLSession(scenario: bench.scenario)
        var request = URLRequest(url: server.baseURL)
        if let header { request.setValue(header, forHTTPHeaderField: "Traceparent") }
        for _ in 0..<count {
            _ = try await TelemetryContext.with(trace.map { ["trace_id": $0] } ?? [:]) { [request] in
                try await session.data(for: request)
            }
        }
        #expect(try await bench.events.allSatisfy { !"\($0)".contains(Self.trace) })
        return server.requests.map { $0.header("traceparent") }
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

    @Test("A span has 16 digits", arguments: [(1, "0000000000000001"), (UInt64.max, "ffffffffffffffff")])
    func span(_ number: UInt64, _ digits: String) async throws {
        let server = try LoopbackServer(.answers(200))
        defer { server.stop() }
        let bench = await NetworkBench()
        let session = TelemetryURLSession(scenario: bench.scenario, elapsed: { .zero }, randomSpan: { number })
        _ = try await TelemetryContext.with(["trace_id": Self.trace]) { try await session.data(from: server.baseURL) }
        #expect(server.requests.map { $0.header("traceparent") } == ["00-\(Self.trace)-\(digits)-01"])
    }

    @Test("A request keeps its own trace")
    func own() async throws {
        let own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
        #expect(try await received(trace: Self.trace, header: own) == [own])
    }

    @Test("Without a valid trace, no header is set", arguments: invalidTraces)
    func invalid(trace: String?) async throws {
        #expect(try await received(trace: trace) == [nil])
    }

    private static let invalidTraces: [String?] = {
        let short = String(trace.dropLast())
        let shorter = String(short.dropLast())
        return [nil, "", "xyz", String(repeating: "0", count: 32), short, trace + "0", trace.uppercased()]
            + ["g", " "].map { short + $0 } + ["é", "\r\n"].map { shorter + $0 }
    }()
}
