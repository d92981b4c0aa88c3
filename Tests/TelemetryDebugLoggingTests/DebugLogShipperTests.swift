#if DEBUG
import Foundation
@testable import TelemetryDebugLogging
@_spi(Tooling) import TelemetryTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct DebugLogShipperTests {
    private struct Body: Decodable { let entries: [DebugLogEntry] }

    private let clock = ManualClock()
    private let entries = (1...3).map { DebugLogEntry(event: "\($0)", payload: ["n": .int(Int64($0))], sessionId: UUID()) }

    private func isFailure(_ shipment: DebugLogShipment) -> Bool {
        if case .failed = shipment { true } else { false }
    }

    @Test("A batch is one POST to /debug/logs, in order, with the token, and outside any correlation")
    func post() async throws {
        let server = try LoopbackServer(.answers(200))
        let shipper = DebugLogShipper(baseURL: server.baseURL, token: "secret", clock: clock)
        let shipment = await DebugCorrelation.operation { _ in await shipper.ship(entries) }
        #expect(shipment == .stored)
        let request = try #require(server.requests.first)
        #expect(server.requests.count == 1)
        #expect(request.head.hasPrefix("POST /debug/logs HTTP/1.1"))
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.header("Authorization") == "Bearer secret")
        #expect(request.header("X-Correlation-ID") == nil)
        #expect(try JSONDecoder().decode(Body.self, from: request.body).entries == entries)
        #expect(clock.sleeperCount == 0)
    }

    @Test("The path of the base URL is kept; an empty batch sends nothing")
    func path() async throws {
        let server = try LoopbackServer(.answers(204))
        let shipper = DebugLogShipper(baseURL: server.baseURL.appending(path: "team/7"), clock: clock)
        #expect(await shipper.ship([]) == .stored)
        #expect(await shipper.ship(entries) == .stored)
        #expect(server.requests.map { $0.head.prefix { $0 != "\r\n" } } == ["POST /team/7/debug/logs HTTP/1.1"])
        #expect(server.requests.first?.header("Authorization") == nil)
    }

    @Test("A request to a stalling server fails at the deadline")
    func stalls() async throws {
        let server = try LoopbackServer(.stalls)
        let shipper = DebugLogShipper(baseURL: server.baseURL, timeout: .seconds(10), clock: clock)
        async let shipment = shipper.ship(entries)
        _ = await server.nextRequest()
        await clock.sleepers()
        clock.advance(by: .seconds(10))
        #expect(await shipment == .failed("no answer within 10.0 seconds"))
    }

    @Test("A cancelled request ends at once")
    func cancelled() async throws {
        let server = try LoopbackServer(.stalls)
        let shipper = DebugLogShipper(baseURL: server.baseURL, clock: clock)
        let task = Task { await shipper.ship(entries) }
        _ = await server.nextRequest()
        task.cancel()
        #expect(isFailure(await task.value))
        let before = Task { await shipper.ship(entries) }
        before.cancel()
        #expect(isFailure(await before.value))
    }

    @Test("A refused connection is a failure")
    func refuses() async throws {
        let (url, socket) = try LoopbackServer.refusingURL()
        defer { withExtendedLifetime(socket) {} }
        #expect(isFailure(await DebugLogShipper(baseURL: url, clock: clock).ship(entries)))
    }

    @Test("A connection that ends before or during the answer is a failure")
    func closes() async throws {
        let server = try LoopbackServer(.hangsUp, .closesHalfWay)
        let shipper = DebugLogShipper(baseURL: server.baseURL, clock: clock)
        // A client may retry by itself if a connection ends without a byte, so the first call may get either answer.
        #expect(isFailure(await shipper.ship(entries)))
        #expect(isFailure(await shipper.ship(entries)))
    }

    @Test("Only the beginning of a huge answer is read", arguments: [200, 400, 500])
    func floods(status: Int) async throws {
        let server = try LoopbackServer(.floods(status))
        let expected = DebugLogReply(status: status).shipment(of: entries.count)
        #expect(await DebugLogShipper(baseURL: server.baseURL, clock: clock).ship(entries) == expected)
    }

    @Test("A redirection is not followed")
    func redirects() async throws {
        let elsewhere = try LoopbackServer(.answers(200))
        let server = try LoopbackServer(.answers(307, headers: ["Location": elsewhere.baseURL.absoluteString]))
        #expect(isFailure(await DebugLogShipper(baseURL: server.baseURL, clock: clock).ship(entries)))
        #expect(elsewhere.requests.isEmpty)
    }

    @Test(
        "The result for each status and body",
        arguments: [
            (200, "", .stored), (202, "", .stored), (204, "", .stored), (413, "", .tooLarge),
            (400, "", .rejected("status 400")), (400, #"{"rejected":[]}"#, .rejected("status 400")),
            (400, #"{"rejected":[{"index":1,"reason":"no id"},{"index":3,"reason":"?"}]}"#, .refused([1: "no id"])),
            (422, #"{"rejected":[{"index":-1,"reason":"?"}]}"#, .rejected("status 422")),
            (401, "", .failed("status 401")), (404, "", .failed("status 404")), (500, "", .failed("status 500")),
        ] as [(Int, String, DebugLogShipment)])
    func statuses(status: Int, body: String, expected: DebugLogShipment) async throws {
        let server = try LoopbackServer(.answers(status, body: body))
        #expect(await DebugLogShipper(baseURL: server.baseURL, clock: clock).ship(entries) == expected)
    }

    @Test(
        "The server's Retry-After is used, up to a day",
        arguments: [("7", .seconds(7)), ("-1", nil), ("99999999999999999999", nil), ("soon", nil)] as [(String, Duration?)])
    func retryAfter(value: String, expected: Duration?) async throws {
        let server = try LoopbackServer(.answers(503, headers: ["Retry-After": value]))
        let shipment = await DebugLogShipper(baseURL: server.baseURL, clock: clock).ship(entries)
        #expect(shipment == .failed("status 503", retryAfter: expected))
    }

    @Test("With a logger: entries that an unreachable server missed are sent to the next one, once and in order")
    @MainActor
    func logger() async throws {
        let (dead, socket) = try LoopbackServer.refusingURL()
        defer { withExtendedLifetime(socket) {} }
        let server = try LoopbackServer(.answers(500), .answers(200))
        let logger = DebugLogger(shipper: DebugLogShipper(baseURL: dead, clock: clock), clock: clock)
        logger.log(event: "1")
        await logger.flush()
        logger.configure(.init(), shipper: DebugLogShipper(baseURL: server.baseURL, clock: clock))
        logger.log(event: "2")
        await logger.flush()
        logger.log(event: "3")
        await logger.flush()
        let bodies = try server.requests.map { try JSONDecoder().decode(Body.self, from: $0.body).entries.map(\.event) }
        #expect(bodies == [["1", "2"], ["1", "2", "3"]])
    }

    @Test(
        "With a logger: a batch that is too large is halved, and a refused entry is reported as lost"
    )
    @MainActor
    func refusals() async throws {
        let server = try LoopbackServer(
            .answers(413), .answers(200), .answers(400, body: #"{"rejected":[{"index":1,"reason":"no"}]}"#), .answers(200))
        let logger = DebugLogger(shipper: DebugLogShipper(baseURL: server.baseURL, clock: clock), clock: clock)
        for number in 1...4 { logger.log(event: "\(number)") }
        await logger.flush()
        logger.log(event: "5")
        await logger.flush()
        let bodies = try server.requests.map { try JSONDecoder().decode(Body.self, from: $0.body).entries }
        #expect(
            bodies.map { $0.map(\.event) }
                == [["1", "2", "3", "4"], ["1", "2"], ["3", "4"], ["debug_log.entries_lost", "5"]])
        #expect(bodies[3][0].payload == ["count": 1])
    }
}
#endif
