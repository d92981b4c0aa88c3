import Foundation
import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryHTTP

#if canImport(FoundationNetworking)
/// On Linux a request that waits on a connection opened for it keeps a processor core busy.
@Suite(.oneAtATime)
struct WaitingConnectionsTests {
    private static let ready = "event: ready\ndata: {}\n\n"

    private static func configuration() -> HTTPTelemetryTransport.Configuration {
        var configuration = HTTPTelemetryTransport.Configuration()
        configuration.minimumReconnectDelay = .milliseconds(1)
        configuration.maximumReconnectDelay = .milliseconds(2)
        return configuration
    }

    @Test("A stream reuses a connection that a short request without a token opened")
    func opensStreams() async throws {
        let stream = LoopbackStream()
        let server = try LoopbackServer(.streams(stream))
        defer { server.stop() }
        let transport = Relay.transport(server)
        var heard = transport.notifications().makeAsyncIterator()
        stream.send(Self.ready)
        #expect(await heard.next() == TelemetryNotification())
        #expect(server.arrivals.map(\.target) == ["/healthz", "/v1/notifications"])
        #expect(server.arrivals.map(\.connection) == [0, 0])
        #expect(server.arrivals.map { $0.header("Authorization") } == [nil, "Bearer t0ken"])
    }

    @Test("Concurrent streams and event requests use one connection each, opened by a short request of its own")
    func keepsApart() async throws {
        let server = try LoopbackServer { request in
            guard request.path != "/v1/events" else { return .stalls }
            let stream = LoopbackStream()
            stream.send(Self.ready)
            return .streams(stream)
        }
        defer { server.stop() }
        let transports = (0..<4).map { _ in Relay.transport(server) }
        let waiting = transports.map { transport in
            Task { try await transport.nextEvents(matching: .all, after: TelemetryCursor(rawValue: "1"), limit: 5) }
        }
        for transport in transports {
            var heard = transport.notifications().makeAsyncIterator()
            var arrivals = transport.eventArrivals().makeAsyncIterator()
            _ = await (heard.next(), arrivals.next())
        }
        _ = await server.request(11)
        let paths = Dictionary(grouping: server.arrivals, by: \.connection).mapValues { $0.map(\.path) }
        #expect(paths.count == 12)
        for path in paths.values { #expect(path.count == 2 && path.first == "/healthz") }
        for task in waiting { task.cancel() }
        for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
    }

    @Test("Consecutive event requests reuse the open connection; after a pause a short request checks it first")
    func reusesConnections() async throws {
        let answers = Atomic<Int>(0)
        let server = try LoopbackServer(keepsConnections: true) { _ in
            let number = answers.wrappingAdd(1, ordering: .relaxed).newValue
            // Every other wait ends without an event.
            return Relay.page(number.isMultiple(of: 2) ? ["e\(number)"] : [], cursor: "\(number)")
        }
        defer { server.stop() }
        let clock = ManualClock()
        let transport = Relay.transport(server, configuration: Relay.configuration(clock: clock))
        for _ in 0..<3 { _ = try await transport.nextEvents(matching: .all, after: TelemetryCursor(rawValue: "0"), limit: 5) }
        #expect(server.arrivals.map(\.path) == ["/healthz"] + Array(repeating: "/v1/events", count: 6))
        clock.advance(by: .seconds(60))
        _ = try await transport.nextEvents(matching: .all, after: TelemetryCursor(rawValue: "0"), limit: 5)
        #expect(server.arrivals.dropFirst(7).map(\.path) == ["/healthz", "/v1/events", "/v1/events"])
        #expect(Set(server.arrivals.map(\.connection)) == [0])
    }

    @Test("A failed short request counts as the stream's failure: it is reported once and retried, and no stream is requested")
    func failsStreams() async throws {
        let stream = LoopbackStream()
        let failures = Atomic<Int>(0)
        let server = try LoopbackServer(health: {
            failures.wrappingAdd(1, ordering: .relaxed).newValue <= 3 ? .closesHalfWay : .answers(404, body: "no such page")
        }) { _ in .streams(stream) }
        defer { server.stop() }
        let (diagnostics, continuation) = AsyncStream.makeStream(of: String.self)
        var configuration = Self.configuration()
        configuration.diagnostics = { continuation.yield($0.message) }
        let transport = Relay.transport(server, configuration: configuration)
        var heard = transport.notifications().makeAsyncIterator()
        stream.send(Self.ready)
        #expect(await heard.next() == TelemetryNotification())
        continuation.finish()
        #expect(server.arrivals.map(\.path) == Array(repeating: "/healthz", count: 4) + ["/v1/notifications"])
        let messages = await diagnostics.reduce(into: [String]()) { $0.append($1) }
        #expect(messages.count == 1)
        #expect(messages.first?.contains("The relay at \(server.baseURL.absoluteString) cannot be reached") == true)
    }

    @Test("A short request without an answer fails after the request timeout")
    func keepsDeadline() async throws {
        let server = try LoopbackServer(health: { .stalls }) { _ in .stalls }
        defer { server.stop() }
        let clock = ManualClock()
        let (draws, drawn) = AsyncStream.makeStream(of: Void.self)
        var configuration = Relay.configuration(clock: clock)
        configuration.random = {
            drawn.yield()
            return 1
        }
        let transport = Relay.transport(server, configuration: configuration)
        let waiting = Task { try await transport.nextEvents(matching: .all, after: TelemetryCursor(rawValue: "0"), limit: 5) }
        await clock.sleepers()
        #expect(clock.timeToNextWake == .seconds(30))
        clock.advance(by: .seconds(30))
        // The random number is drawn after the request has failed and before the delay begins.
        var draw = draws.makeAsyncIterator()
        await draw.next()
        await clock.sleepers()
        #expect(clock.timeToNextWake == .seconds(2))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(server.requests.isEmpty)
    }
}
#endif
