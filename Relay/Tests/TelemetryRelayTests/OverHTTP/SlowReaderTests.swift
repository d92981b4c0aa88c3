import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
@_spi(Tooling) import TelemetryTestSupport
import Testing

@testable import TelemetryRelay

@Suite(.timeLimit(.minutes(10)))
struct SlowReaderTests {
    private static let batches = 12
    private static let eventsABatch = 50
    private static let bytesAnEvent = 60_000

    private static func batch(_ number: Int) -> String {
        let property = #","property1":"\#(String(repeating: "x", count: bytesAnEvent))""#
        let first = number * eventsABatch
        return
            #"{"events":[\#((first..<(first + eventsABatch)).map { WireSample.event("\($0)", more: property) }.joined(separator: ","))]}"#
    }

    @Test("A slow reader is disconnected, not buffered, and continues from its cursor")
    func isCut() async throws {
        let time = TestTime()
        let storage = try SQLiteRelayStorage(inMemory: .init())
        // The test checks the connections itself.
        let parts = RelayParts(
            configuration: .init(), storage: storage, clock: ManualClock(), logger: Bench.logger(), uptime: { time.uptime })
        let application = Application(
            router: parts.router(), server: try Relay.server(.init(), connections: parts.connections),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)), logger: Bench.logger())
        try await application.testInTurn(.live) { client async throws -> Void in
            let relay = RelayBench(client: client, storage: storage)
            let port = try #require(client.port)
            let start = try #require(try await relay.get("/v1/events")["cursor"] as? String)
            for number in 0..<Self.batches {
                #expect(try await relay.post("/v1/events", Self.batch(number)).status == .ok)
            }
            let reader = try #require(LoopbackSocket.connected(to: UInt16(port)))
            reader.send(Array("GET /v1/events/stream?after=\(start) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8))
            // The stream has begun.
            var text = String(decoding: try #require(reader.received()), as: UTF8.self)
            // The relay does not report a full socket. Until the socket is full, passing time closes no connection of a reader.
            while parts.connections.closed[.response] == 0 {
                time.pass(31)
                parts.connections.check()
                await Task.yield()
            }
            while let piece = reader.received() { text += String(decoding: piece, as: UTF8.self) }
            #expect(text.utf8.count < Self.batches * Self.eventsABatch * Self.bytesAnEvent / 2)
            let events = text.components(separatedBy: "\n\n").dropLast()
            let last = try #require(events.last { $0.contains("event: telemetry") && $0.contains("id: ") })
            let id = try #require(last.components(separatedBy: "id: ").last?.prefix { $0 != "\n" })
            try await StreamLines.open(port: port, "/v1/events/stream", headers: [("Last-Event-ID", String(id))]) { stream in
                let next = try #require(try await stream.next()?.data)
                let number = events.count { $0.contains("event: telemetry") }
                #expect(next.contains(#""eventId":"\#(number)""#))
            }
        }
        try? await storage.close()
    }
}
