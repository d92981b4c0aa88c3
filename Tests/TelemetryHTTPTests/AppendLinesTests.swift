import Foundation
import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
@_spi(Tooling) import TelemetryTransport
import Testing

@testable import TelemetryHTTP

/// Events sent as lines to a relay that accepts them.
@Suite(.oneAtATime)
struct AppendLinesTests {
    private static let both = ["Accept-Post": "application/json, Application/vnd.LiveTelemetry.lines"]

    /// Events of one session as a logger hands them over, which fail if they are converted.
    private struct Logged: EncodedEvents {
        let values: [TelemetryEvent]
        let origin = EventOrigin(
            clientId: TelemetryFixtures.clientId, sessionId: "session", device: TelemetryFixtures.device)
        var count: Int { values.count }

        func forEach(_ body: (EventFields) throws -> Void) throws {
            for event in values {
                try event.name.utf8.withContiguousStorageIfAvailable { name in
                    try event.threadId.utf8.withContiguousStorageIfAvailable { thread in
                        try body(
                            EventFields(
                                sequence: event.sequence, timestamp: event.timestamp, level: event.level, name: name,
                                thread: thread,
                                scenario: nil, property1: nil, attributes: .values(event.attributes), identifier: nil))
                    }
                }
            }
        }

        func decoded() -> [TelemetryEvent] {
            Issue.record("the events were converted")
            return values
        }

        func part(_ range: Range<Int>) -> any EncodedEvents { Self(values: Array(values[range])) }
    }

    private static func isLines(_ request: LoopbackRequest) -> Bool {
        request.header("Content-Type") == "application/vnd.livetelemetry.lines"
    }

    private static func stored(_ count: Int) -> LoopbackServer.Behaviour {
        .answers(200, headers: both, body: #"{"stored":\#(count),"duplicates":0}"#)
    }

    private static func events(_ request: LoopbackRequest) -> [TelemetryEvent] {
        EventLines.decode(Array(Gunzip.expanded(request.body) ?? Data()))
    }

    @Test("After a response that lists lines, a logger's events are sent as lines without a conversion")
    func lines() async throws {
        let server = try LoopbackServer { _ in Self.stored(1) }
        defer { server.stop() }
        let transport = Relay.transport(server)
        let events = TelemetryFixtures.events(1...50)
        try await transport.append(Array(events.prefix(1)))
        try await transport.append(TelemetryEventBatch(Logged(values: events)))
        try await transport.append(events)
        #expect(server.requests.map(Self.isLines) == [false, true, true])
        #expect(server.requests.map { $0.header("Content-Encoding") } == [nil, "gzip", "gzip"])
        #expect(Self.events(server.requests[1]) == events)
        #expect(Self.events(server.requests[2]) == events)
    }

    @Test("A relay that does not list lines gets JSON", arguments: [nil, "application/vnd.livetelemetry.lines-v3", "*/*", ""])
    func json(types: String?) async throws {
        let server = try LoopbackServer { _ in
            .answers(200, headers: types.map { ["Accept-Post": $0] } ?? [:], body: #"{"stored":1,"duplicates":0}"#)
        }
        defer { server.stop() }
        let transport = Relay.transport(server)
        for _ in 0..<3 { try await transport.append(TelemetryFixtures.events(1...2)) }
        #expect(server.requests.map { $0.header("Content-Type") } == Array(repeating: "application/json", count: 3))
    }

    @Test(
        "If the relay refuses lines and stores the same events as JSON, it gets only JSON",
        arguments: [(400, "invalidArgument"), (403, "unauthorized"), (415, "invalidArgument")])
    func refused(status: Int, code: String) async throws {
        let server = try LoopbackServer { request in
            Self.isLines(request) ? Relay.problem(status, code) : Self.stored(1)
        }
        defer { server.stop() }
        let transport = Relay.transport(server)
        for _ in 0..<3 { try await transport.append(TelemetryFixtures.events(1...1)) }
        #expect(server.requests.map(Self.isLines) == [false, true, false, false])
    }

    @Test("Events that the relay refuses in both forms, and an outage, are no reason to stop sending lines")
    func refusedInBoth() async throws {
        let answer = Mutex(Self.stored(1))
        let server = try LoopbackServer { _ in answer.withLock { $0 } }
        defer { server.stop() }
        let transport = Relay.transport(server)
        try await transport.append(TelemetryFixtures.events(1...1))
        for (status, code) in [(400, "invalidArgument"), (503, "unavailable")] {
            answer.withLock { $0 = Relay.problem(status, code) }
            let error = await #expect(throws: TelemetryTransportError.self) {
                try await transport.append(TelemetryFixtures.events(1...1))
            }
            #expect(error.map { "\($0.code)" } == code)
        }
        answer.withLock { $0 = Self.stored(1) }
        try await transport.append(TelemetryFixtures.events(1...1))
        #expect(server.requests.map(Self.isLines) == [false, true, false, true, true])
    }

    @Test("An event that is too large only as lines is sent as JSON, and the next ones as lines")
    func tooLarge() async throws {
        let server = try LoopbackServer { request in
            guard request.method == "POST" else { return .answers(200, body: Relay.server) }
            return Self.isLines(request) && Self.events(request).contains { $0.property1 != nil }
                ? Relay.problem(413, "quotaExceeded") : Self.stored(1)
        }
        defer { server.stop() }
        let transport = Relay.transport(server)
        try await transport.append(TelemetryFixtures.events(1...1))
        try await transport.append([TelemetryFixtures.event(2, property1: "x")])
        try await transport.append(TelemetryFixtures.events(3...3))
        #expect(server.requests.map(Self.isLines) == [false, true, false, true])
    }

    @Test("Lines that the relay refuses as too large are halved until they fit, and every event arrives once, in order")
    func halves() async throws {
        let arrived = Mutex<[TelemetryEvent]>([])
        let server = try LoopbackServer { request in
            guard request.method == "POST" else { return .answers(200, body: Relay.server) }
            let events = Self.events(request)
            if events.count > 30 { return Relay.problem(413, "quotaExceeded") }
            arrived.withLock { $0 += events }
            return Self.stored(events.count)
        }
        defer { server.stop() }
        let transport = Relay.transport(server)
        try await transport.append(TelemetryFixtures.events(1...1))
        let events = TelemetryFixtures.events(2...101)
        try await transport.append(TelemetryEventBatch(Logged(values: events)))
        #expect(arrived.withLock { $0 } == events)
        let counts = server.requests.filter(Self.isLines).map { Self.events($0).count }
        #expect(counts == [100, 50, 25, 25, 25, 25])
    }

    @Test("A large event is sent alone, and the next ones together")
    func largeEvent() async throws {
        let server = try LoopbackServer { request in Self.stored(Self.events(request).count) }
        defer { server.stop() }
        let transport = Relay.transport(server)
        try await transport.append(TelemetryFixtures.events(1...1))
        let large = TelemetryFixtures.event(2, property1: String(repeating: "x", count: 4_194_000))
        try await transport.append([large] + TelemetryFixtures.events(3...22))
        #expect(server.requests.filter(Self.isLines).map { Self.events($0).count } == [1, 20])
    }

    @Test("Lines respect the relay's limit of bytes, and a date that cannot be written is refused without a request")
    func limits() async throws {
        let server = try LoopbackServer { request in
            guard request.method == "POST" else {
                return .answers(200, body: #"{"api":2,"limits":{"batchEvents":1000,"bodyBytes":2000}}"#)
            }
            let size = (Gunzip.expanded(request.body) ?? Data()).count
            return size > 2_000 ? Relay.problem(413, "quotaExceeded") : Self.stored(1)
        }
        defer { server.stop() }
        let transport = Relay.transport(server)
        try await transport.append(TelemetryFixtures.events(1...1))
        try await transport.append(TelemetryFixtures.events(1...100))
        let sent = server.requests.filter(Self.isLines).map { Self.events($0).map(\.sequence) }
        #expect(sent.dropFirst().flatMap(\.self) == Array(1...100))
        let count = server.requests.count
        let error = await #expect(throws: TelemetryTransportError.self) {
            try await transport.append(TelemetryEventBatch(Logged(values: [Self.undated])))
        }
        #expect(error?.code == .invalidArgument)
        #expect(server.requests.count == count)
    }

    private static let undated = TelemetryEvent(
        eventId: "session-1", clientId: TelemetryFixtures.clientId, sessionId: "session", sequence: 1, name: "n",
        timestamp: .distantFuture.addingTimeInterval(1e12), device: TelemetryFixtures.device, threadId: "1", property1: nil,
        attributes: [:], scenario: nil, level: .info)
}
