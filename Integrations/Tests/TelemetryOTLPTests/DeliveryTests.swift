import Foundation
import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
import Testing

@testable import TelemetryOTLP

struct DeliveryTests {
    /// A collector, and what a delivery to it reported.
    private final class Bench: Sendable {
        let server: LoopbackServer
        let clock = ManualClock()
        let notices = Mutex<[TelemetryOTLPDelivery.Notice]>([])

        init(_ behaviours: LoopbackServer.Behaviour...) throws {
            let rest = Mutex(behaviours)
            server = try LoopbackServer { _ in rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
        }

        /// - Parameter refuses: Whether the collector answers 400 to a request with this event.
        init(refuses: @escaping @Sendable (String) -> Bool, empty: Int = 200) throws {
            server = try LoopbackServer { request in
                let ids = (try? Bench.identifiers(in: request)) ?? []
                if ids.isEmpty { return .answers(empty, body: "{}") }
                return .answers(ids.contains(where: refuses) ? 400 : 200, body: "{}")
            }
        }

        func delivery(headers: [String: String] = [:], endpoint: URL? = nil) -> TelemetryOTLPDelivery {
            TelemetryOTLPDelivery(
                exporter: TelemetryOTLPExporter(endpoint: endpoint ?? server.baseURL, headers: headers), clock: clock,
                jitter: { 0.5 }, notify: { notice in self.notices.withLock { $0.append(notice) } })
        }

        /// The events' identifiers of each request so far.
        var requests: [[String]] { get throws { try server.requests.map(Self.identifiers) } }

        static func identifiers(in request: LoopbackRequest) throws -> [String] {
            try DecodedRequest(request.body).resources.flatMap(\.records).compactMap {
                $0.attributes["log.record.uid"].map { String($0.dropFirst("stringValue:".count)) }
            }
        }
    }

    private static func events(_ count: Int) -> [TelemetryEvent] { (1...count).map { .sample($0) } }

    @Test("Events are posted as JSON to /v1/logs, with the headers")
    func request() async throws {
        let bench = try Bench(.answers(200, body: "{}"))
        let outcome = try await bench.delivery(headers: ["Authorization": "Bearer x"]).deliver(Self.events(3))
        #expect(outcome.acceptedCount == 3)
        #expect(outcome.rejectedCount == 0)
        let request = try #require(bench.server.requests.first)
        #expect(request.method == "POST")
        #expect(request.target == "/v1/logs")
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.header("Authorization") == "Bearer x")
        #expect(try bench.requests == [["e1", "e2", "e3"]])
    }

    #if canImport(FoundationNetworking)
    @Test("Each request has a connection of its own, because Foundation repeats one on a closed connection without its body")
    func connections() async throws {
        let bench = try Bench(.answers(200, body: "{}"))
        for number in 1...3 { _ = try await bench.delivery().deliver([.sample(number)]) }
        #expect(bench.server.requests.map { $0.header("Connection") } == ["close", "close", "close"])
    }
    #endif

    @Test("An endpoint may already have the path", arguments: ["v1/logs", "tenant/v1/logs"])
    func endpoint(path: String) async throws {
        let bench = try Bench(.answers(200, body: "{}"))
        _ = try await bench.delivery(endpoint: bench.server.baseURL.appending(path: path)).deliver(Self.events(1))
        #expect(bench.server.requests.map(\.target) == ["/\(path)"])
    }

    @Test("Events are sent in order, in batches of at most 512")
    func batches() async throws {
        let bench = try Bench(.answers(200, body: "{}"))
        #expect(try await bench.delivery().deliver(Self.events(1_100)).acceptedCount == 1_100)
        #expect(try bench.requests.map(\.count) == [512, 512, 76])
        #expect(try bench.requests.flatMap(\.self) == Self.events(1_100).map(\.eventId))
    }

    @Test("Batches are limited by size, and a larger event has a batch of its own")
    func batchBytes() {
        let half = String(repeating: "x", count: TelemetryOTLPDelivery.maximumBatchBytes / 2 - 5)
        let events: [TelemetryEvent] = [
            .sample(1, text: half), .sample(2, text: half), .sample(3), .sample(4, text: half + half + half), .sample(5),
        ]
        #expect(TelemetryOTLPDelivery.batches(events).map { $0.map(\.sequence) } == [[1, 2], [3], [4], [5]])
        #expect(TelemetryOTLPDelivery.batches([]).isEmpty)
    }

    @Test("An unavailable collector gets the same request again", arguments: [408, 429, 502, 503, 504])
    func unavailable(status: Int) async throws {
        let bench = try Bench(.answers(status), .hangsUp, .answers(200, body: "{}"))
        async let outcome = bench.delivery().deliver(Self.events(2))
        for delay in [Duration.milliseconds(375), .milliseconds(750)] {
            await bench.clock.sleepers()
            #expect(bench.clock.timeToNextWake == delay)
            bench.clock.advance(by: delay)
        }
        #expect(try await outcome.acceptedCount == 2)
        #expect(try bench.requests == [["e1", "e2"], ["e1", "e2"], ["e1", "e2"]])
        #expect(bench.notices.withLock(\.count) == 2)
    }

    @Test("The Retry-After of the collector is respected, and is at least half a second")
    func retryAfter() async throws {
        let bench = try Bench(
            .answers(503, headers: ["Retry-After": "17"]), .answers(429, headers: ["Retry-After": "0"]),
            .answers(200, body: "{}"))
        async let outcome = bench.delivery().deliver(Self.events(1))
        for delay in [Duration.seconds(17), .milliseconds(500)] {
            await bench.clock.sleepers()
            #expect(bench.clock.timeToNextWake == delay)
            bench.clock.advance(by: delay)
        }
        #expect(try await outcome.acceptedCount == 1)
    }

    @Test("The delay doubles up to 32 seconds")
    func delays() {
        let expected = [0.5, 1, 2, 4, 8, 16, 32, 32].map { Duration.seconds($0) }
        #expect((0...7).map { TelemetryOTLPDelivery.delay($0, jitter: 0) } == expected)
        #expect(TelemetryOTLPDelivery.delay(.max, jitter: 1) == .seconds(16))
    }

    @Test("Cancelling ends a wait")
    func cancelled() async throws {
        let bench = try Bench(.answers(503))
        let task = Task { try await bench.delivery().deliver(Self.events(1)) }
        await bench.clock.sleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(
        "Events that a collector rejects in part are reported and not sent again",
        arguments: ["\"2\"", "2"])
    func partialSuccess(count: String) async throws {
        let bench = try Bench(
            .answers(200, body: "{\"partialSuccess\":{\"rejectedLogRecords\":\(count),\"errorMessage\":\"too old\"}}"))
        let outcome = try await bench.delivery().deliver(Self.events(5))
        #expect(outcome.acceptedCount == 3)
        #expect(outcome.rejectedCount == 2)
        #expect(bench.notices.withLock(\.self) == [.partialSuccess(rejectedCount: 2, message: "too old")])
        #expect(try bench.requests.count == 1)
    }

    @Test("An event that a collector refuses is isolated and left out, and the others are delivered")
    func refusedEvent() async throws {
        let bench = try Bench(refuses: { ["e3", "e20"].contains($0) })
        let outcome = try await bench.delivery().deliver(Self.events(20))
        #expect(outcome.acceptedCount == 18)
        #expect(outcome.refusedEventIds == ["e3", "e20"])
        let refused = bench.notices.withLock(\.self).compactMap { notice in
            if case .refused(let eventId, _) = notice { eventId } else { nil }
        }
        #expect(refused == ["e3", "e20"])
    }

    @Test("If a collector refuses even an empty request, the endpoint is wrong and no event is left out")
    func refusedEndpoint() async throws {
        let bench = try Bench(refuses: { _ in true }, empty: 400)
        let error = await #expect(throws: TelemetryOTLPError.self) { try await bench.delivery().deliver(Self.events(4)) }
        #expect(error?.code == .misconfigured)
    }

    @Test("A request that is too large is divided")
    func tooLarge() async throws {
        let bench = try Bench(.answers(413), .answers(200, body: "{}"))
        #expect(try await bench.delivery().deliver(Self.events(3)).acceptedCount == 3)
        #expect(try bench.requests == [["e1", "e2", "e3"], ["e1"], ["e2", "e3"]])
    }

    @Test("Other answers end the delivery with an error", arguments: [301, 401, 403, 404, 405, 415, 500])
    func misconfigured(status: Int) async throws {
        let bench = try Bench(.answers(status, headers: ["Location": "/elsewhere"], body: "{\"message\":\"no such tenant\"}"))
        let error = await #expect(throws: TelemetryOTLPError.self) { try await bench.delivery().deliver(Self.events(1)) }
        #expect(error?.code == ([401, 403].contains(status) ? .unauthorized : .misconfigured))
        #expect(error?.message.contains("\(status)") == true)
        if status != 301 { #expect(error?.message.contains("no such tenant") == true) }
        #expect(try bench.requests.count == 1)
    }
}
