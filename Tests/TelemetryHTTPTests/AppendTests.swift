import Foundation
import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryHTTP

@Suite(.oneAtATime)
struct AppendTests {
    /// The number of events in each request.
    private func sizes(_ server: LoopbackServer) throws -> [Int] {
        try server.requests.filter { $0.method == "POST" }.map { (try object($0.body)["events"] as? [Any])?.count ?? 0 }
    }

    @Test("A batch that the relay refuses as too large is halved until it fits, and every event arrives once, in order")
    func halves() async throws {
        let stored = Mutex<[String]>([])
        let server = try LoopbackServer { request in
            guard request.method == "POST" else { return .answers(200, body: Relay.server) }
            let ids = ((try? object(request.body)["events"]) as? [[String: Any]] ?? []).compactMap { $0["eventId"] as? String }
            if ids.count > 30 { return Relay.problem(413, "quotaExceeded") }
            stored.withLock { $0 += ids }
            return Relay.stored(ids.count)
        }
        defer { server.stop() }
        let events = TelemetryFixtures.events(1...100)
        try await Relay.transport(server).append(events)
        #expect(stored.withLock { $0 } == events.map(\.eventId))
        #expect(try sizes(server) == [100, 50, 25, 25, 25, 25])
    }

    @Test("A batch of events is sent as gzip, a short body and records as they are")
    func compresses() async throws {
        let server = try LoopbackServer { request in
            if request.path == "/v1/events" { return Relay.stored(1) }
            return .answers(200, body: #"{"deleted":1}"#)
        }
        defer { server.stop() }
        let transport = Relay.transport(server)
        let events = TelemetryFixtures.events(1...50)
        try await transport.append(events)
        try await transport.append(Array(events.prefix(1)))
        _ = try await transport.deleteRecords(withIDs: (1...300).map { .init(recordName: "record-\($0)") })
        #expect(server.requests.map { $0.header("Content-Encoding") } == ["gzip", nil, nil])
        #expect(server.requests.map { $0.header("Content-Type") } == Array(repeating: "application/json", count: 3))
        #expect(try server.requests.map { try JSONSerialization.jsonObject(with: Gunzip.expanded($0.body) ?? Data()) }.count == 3)
        #expect(server.requests[0].body.count * 2 < (Gunzip.expanded(server.requests[0].body)?.count ?? 0))
    }

    @Test("The limits of a relay with lower limits are fetched once and then respected")
    func adoptsLimits() async throws {
        let server = try LoopbackServer { request in
            guard request.method == "POST" else {
                return .answers(200, body: #"{"api":1,"limits":{"batchEvents":40,"bodyBytes":4194304,"page":7}}"#)
            }
            let count = ((try? object(request.body)["events"]) as? [Any])?.count ?? 0
            return count > 40 ? Relay.problem(413, "quotaExceeded") : Relay.stored(count)
        }
        defer { server.stop() }
        let transport = Relay.transport(server)
        for _ in 0..<2 { try await transport.append(TelemetryFixtures.events(1...100)) }
        #expect(try sizes(server) == [100, 40, 40, 20, 40, 40, 20])
        #expect(server.requests.count { $0.path == "/v1/server" } == 1)
    }

    @Test("A single event above the limit is refused and not tried again")
    func refusesOneEvent() async throws {
        let server = try LoopbackServer(Relay.problem(413, "quotaExceeded"))
        defer { server.stop() }
        let error = await #expect(throws: TelemetryTransportError.self) {
            try await Relay.transport(server).append(TelemetryFixtures.events(1...1))
        }
        #expect(error?.code == .quotaExceeded)
        #expect(error?.isRetryable == false)
        #expect(server.requests.count == 1)
    }

    @Test(
        "An answer that is not a receipt is an error",
        arguments: ["", "<html>Log in</html>", "{}", #"{"stored":true}"#, "[1]"])
    func needsReceipt(_ body: String) async throws {
        let server = try LoopbackServer(.answers(200, body: body))
        defer { server.stop() }
        let error = await #expect(throws: TelemetryTransportError.self) {
            try await Relay.transport(server).append(TelemetryFixtures.events(1...1))
        }
        #expect(error?.code == .unavailable)
    }

    @Test("An invalid client identifier is refused without a request; an empty batch sends nothing")
    func checksNames() async throws {
        let server = try LoopbackServer(Relay.stored(0))
        defer { server.stop() }
        let transport = Relay.transport(server)
        for clientId in ["", String(repeating: "é", count: 513)] {
            let error = await #expect(throws: TelemetryTransportError.self) {
                try await transport.append([TelemetryFixtures.event(clientId: clientId)])
            }
            #expect(error?.code == .invalidArgument)
        }
        try await transport.append([])
        #expect(server.requests.isEmpty)
    }

    @Test("Cancelling the calling task ends the request and throws CancellationError")
    func cancels() async throws {
        let server = try LoopbackServer(.stalls)
        defer { server.stop() }
        let transport = Relay.transport(server)
        let append = Task { try await transport.append(TelemetryFixtures.events(1...1)) }
        _ = await server.nextRequest()
        append.cancel()
        await #expect(throws: CancellationError.self) { try await append.value }
        await server.departures()
    }

    @Test("A request without an answer fails after the request timeout, and the connection is closed")
    func keepsDeadline() async throws {
        let server = try LoopbackServer(.stalls)
        defer { server.stop() }
        let clock = ManualClock()
        let transport = Relay.transport(server, configuration: Relay.configuration(clock: clock))
        let count = Task { try await transport.countEvents() }
        _ = await server.nextRequest()
        await clock.sleepers()
        clock.advance(by: .seconds(30))
        let error = await #expect(throws: TelemetryTransportError.self) { try await count.value }
        #expect(error?.code == .unavailable)
        await server.departures()
    }

    @Test("An endless answer and a broken connection are .unavailable", arguments: [0, 1, 2])
    func survivesBadServers(_ index: Int) async throws {
        let server = try LoopbackServer([.floods(200), .hangsUp, .closesHalfWay][index])
        defer { server.stop() }
        var configuration = HTTPTelemetryTransport.Configuration()
        configuration.maximumResponseBytes = 100_000
        let transport = Relay.transport(server, configuration: configuration)
        let error = await #expect(throws: TelemetryTransportError.self) {
            _ = try await transport.records(matching: .init(recordType: "T"))
        }
        #expect(error?.code == .unavailable)
    }

    @Test("A refused connection, a URL that is not HTTP and a redirection throw errors with a code")
    func reportsUnreachable() async throws {
        let (dead, socket) = try LoopbackServer.refusingURL()
        defer { withExtendedLifetime(socket) {} }
        let elsewhere = try LoopbackServer(Relay.stored(1))
        let moved = try LoopbackServer(.answers(307, headers: ["Location": elsewhere.baseURL.absoluteString]))
        defer {
            elsewhere.stop()
            moved.stop()
        }
        for (url, code) in [
            (dead, TelemetryTransportError.Code.unavailable), (URL(filePath: "/tmp"), .invalidArgument),
            (try #require(URL(string: "ftp://relay.example")), .invalidArgument), (moved.baseURL, .unavailable),
        ] {
            let transport = HTTPTelemetryTransport(url: url, credentials: .viewer(token: "t0ken"))
            let error = await #expect(throws: TelemetryTransportError.self) {
                try await transport.append(TelemetryFixtures.events(1...1))
            }
            #expect(error?.code == code)
        }
        #expect(elsewhere.requests.isEmpty, "a token does not follow a redirection")
    }
}
