#if DEBUG
import Foundation
import TelemetryDebugLogging
@_spi(Tooling) import TelemetryTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@MainActor
struct DebugCorrelationTests {
    private let shipper = ScriptedShipper()
    private let clock = ManualClock()
    private var logger: DebugLogger { DebugLogger(shipper: shipper, clock: clock) }

    @Test("A request keeps its identifier, or gets the operation's, or a new one")
    func request() async throws {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        var request = URLRequest(url: url)
        #expect(request.correlationId == nil)
        let drawn = request.correlate()
        #expect(request.value(forHTTPHeaderField: "X-Correlation-ID") == drawn.uuidString)
        #expect(await DebugCorrelation.operation { _ in request.correlate() } == drawn)
        let given = UUID()
        #expect(request.correlate(given) == given)
        var fresh = URLRequest(url: url)
        let (operation, set) = await DebugCorrelation.operation { id in (id, fresh.correlate()) }
        #expect(operation == set)
        fresh.setValue("no identifier", forHTTPHeaderField: "X-Correlation-ID")
        #expect(fresh.correlationId == nil)
    }

    @Test("Entries of an operation, its nested operations and tasks share one identifier; other entries have their own")
    func operation() async throws {
        let logger = logger
        await DebugCorrelation.operation { id in
            logger.log(event: "\(id)")
            await DebugCorrelation.operation { _ in logger.log(event: "\(id)") }
            await Task { @MainActor in logger.log(event: "\(id)") }.value
            await DebugCorrelation.operation(UUID()) { inner in logger.log(event: "\(inner)") }
        }
        logger.log(event: "outside")
        logger.log(event: "outside")
        await logger.flush()
        let entries = try #require(shipper.batches.first)
        #expect(entries[..<4].allSatisfy { $0.event == "\($0.correlationId)" })
        #expect(Set(entries.map(\.correlationId)).count == 4)
    }

    @Test("The start and end of a request are logged with the identifier that the server receives")
    func logged() async throws {
        let server = try LoopbackServer(.answers(404, body: "gone"))
        let logger = logger
        let session = CorrelatedURLSession(logger: logger)
        var request = URLRequest(url: server.baseURL.appending(path: "items/7"))
        request.url?.append(queryItems: [URLQueryItem(name: "key", value: "sesame")])
        request.httpMethod = "PUT"
        request.setValue("Bearer sesame", forHTTPHeaderField: "Authorization")
        let (body, id) = try await DebugCorrelation.operation { [request] id in
            (try await session.upload(for: request, from: Data("sesame".utf8)).0, id)
        }
        #expect(body == Data("gone".utf8))
        #expect(server.requests.first?.header("X-Correlation-ID") == id.uuidString)
        #expect(server.requests.first?.header("Authorization") == "Bearer sesame")
        await logger.flush()
        let entries = try #require(shipper.batches.first)
        #expect(entries.map(\.event) == ["http.request", "http.response"])
        #expect(entries.map(\.level) == [.info, .warn])
        #expect(entries.map(\.correlationId) == [id, id])
        #expect(entries[1].payload["status"] == 404)
        #expect(entries[1].payload["bytes"] == 4)
        #expect(entries[1].payload["method"] == "PUT")
        #expect(entries[1].payload["url"] == .string("\(server.baseURL)/items/7"))
        let written = String(decoding: try JSONEncoder().encode(entries), as: UTF8.self)
        #expect(!written.contains("sesame"))
    }

    @Test("A failure is logged and rethrown; a duration is measured on the clock")
    func failed() async throws {
        struct Broken: Error {}
        let logger = logger
        let session = CorrelatedURLSession(logger: logger, clock: clock)
        let request = URLRequest(url: try #require(URL(string: "http://user:sesame@127.0.0.1:1/a?token=sesame#sesame")))
        await #expect(throws: Broken.self) {
            try await session.perform(request) { [clock] _ -> (Data, URLResponse) in
                clock.advance(by: .milliseconds(1500))
                throw Broken()
            }
        }
        await #expect(throws: CancellationError.self) {
            try await session.perform(request) { _ -> (Data, URLResponse) in throw CancellationError() }
        }
        await logger.flush()
        let entries = try #require(shipper.batches.first)
        #expect(entries.map(\.event) == ["http.request", "http.failure", "http.request", "http.cancelled"])
        #expect(entries.map(\.level) == [.info, .error, .info, .info])
        #expect(entries[1].payload["duration_ms"] == 1500)
        #expect(entries[1].payload["url"] == "http://127.0.0.1:1/a")
        #expect(!String(decoding: try JSONEncoder().encode(entries), as: UTF8.self).contains("sesame"))
        #expect(entries[0].correlationId == entries[1].correlationId)
        #expect(entries[2].correlationId != entries[1].correlationId)
    }
}
#endif
