import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryHTTP

@Suite(.oneAtATime)
struct NotificationTests {
    private static let ready = "event: ready\ndata: {}\n\n"
    private static func record(_ name: String, id: Int) -> String {
        "id: \(id)\nevent: record\ndata: {\"subscriptionID\":\"s\",\"recordType\":\"T\",\"recordName\":\"\(name)\"}\n\n"
    }
    private static let everything = TelemetryNotification()
    private static func notification(_ name: String) -> TelemetryNotification {
        TelemetryNotification(subscriptionID: "s", recordType: "T", recordID: .init(recordName: name))
    }

    @Test("All streams share a connection; a ready event yields one notification for everything; the last consumer closes it")
    func shares() async throws {
        let stream = LoopbackStream()
        let server = try LoopbackServer(.streams(stream))
        defer { server.stop() }
        let transport = Relay.transport(server)
        var consumers = (0..<3).map { _ in transport.notifications() }
        let reading = consumers.map { consumer in
            Task {
                var heard: [TelemetryNotification] = []
                for await notification in consumer {
                    heard.append(notification)
                    if heard.count == 3 { break }
                }
                return heard
            }
        }
        // A stream ends with its last reference.
        consumers = []
        stream.send(Self.ready)
        stream.send(": heartbeat\n\n")
        stream.send(Self.record("a", id: 1) + Self.record("☃", id: 2))
        for task in reading { #expect(await task.value == [Self.everything, Self.notification("a"), Self.notification("☃")]) }
        await server.departures()
        #expect(server.requests.count == 1)
        #expect(server.requests.first?.target == "/v1/notifications")
        #expect(server.requests.first?.header("Accept") == "text/event-stream")
    }

    @Test("A lost connection resumes from the last event, and the next ready event yields one notification for everything")
    func resumes() async throws {
        let (first, second) = (LoopbackStream(), LoopbackStream())
        let server = try LoopbackServer(.streams(first), Relay.problem(503, "unavailable"), .streams(second))
        defer { server.stop() }
        let (diagnostics, continuation) = AsyncStream.makeStream(of: String.self)
        var configuration = HTTPTelemetryTransport.Configuration()
        configuration.minimumReconnectDelay = .milliseconds(1)
        configuration.maximumReconnectDelay = .milliseconds(2)
        configuration.diagnostics = { continuation.yield($0.message) }
        let transport = Relay.transport(server, configuration: configuration)
        var heard = transport.notifications().makeAsyncIterator()
        first.send(Self.ready + Self.record("a", id: 41))
        #expect(await heard.next() == Self.everything)
        #expect(await heard.next() == Self.notification("a"))
        first.abandon()
        second.send(Self.ready + Self.record("b", id: 57))
        #expect(await heard.next() == Self.everything)
        #expect(await heard.next() == Self.notification("b"))
        #expect(server.requests.map { $0.header("Last-Event-ID") } == [nil, "41", "41"])
        continuation.finish()
        #expect(await diagnostics.reduce(into: 0) { count, _ in count += 1 } == 1, "one outage is reported once")
    }

    @Test("A host's connection waits for an identifier, and is reopened without a last event for the next one")
    func followsIdentity() async throws {
        let streams = [LoopbackStream(), LoopbackStream()]
        let server = try LoopbackServer(.streams(streams[0]), .streams(streams[1]))
        defer { server.stop() }
        let transport = await Relay.host(server, as: nil)
        var heard = transport.notifications().makeAsyncIterator()
        await transport.setClientIdentifier("first")
        streams[0].send(Self.ready + Self.record("a", id: 3))
        #expect(await heard.next() == Self.everything)
        #expect(await heard.next() == Self.notification("a"))
        await transport.setClientIdentifier("second")
        streams[1].send(Self.ready)
        #expect(await heard.next() == Self.everything)
        #expect(server.requests.map { $0.header("Telemetry-Client") } == ["first", "second"])
        #expect(server.requests.map { $0.header("Last-Event-ID") } == [nil, nil])
    }

    @Test("A slow consumer's buffer is bounded, and its last notification is one for everything")
    func boundsSlowConsumers() async throws {
        let stream = LoopbackStream()
        let server = try LoopbackServer(.streams(stream))
        defer { server.stop() }
        let transport = Relay.transport(server)
        let slow = transport.notifications()
        var fast = transport.notifications().makeAsyncIterator()
        stream.send(Self.ready)
        #expect(await fast.next() == Self.everything)
        for index in 1...400 {
            stream.send(Self.record("r\(index)", id: index))
            #expect(await fast.next() == Self.notification("r\(index)"))
        }
        stream.end()
        var iterator = slow.makeAsyncIterator()
        var kept: [TelemetryNotification] = []
        for _ in 0..<256 { if let next = await iterator.next() { kept.append(next) } }
        #expect(kept.count == 256)
        #expect(kept.last == Self.everything)
    }

    @Test("An answer that is not an event stream is an outage, and does not end the stream")
    func survivesOtherAnswers() async throws {
        let stream = LoopbackStream()
        let server = try LoopbackServer(.answers(200, body: "<html>"), .hangsUp, .streams(stream))
        defer { server.stop() }
        var configuration = HTTPTelemetryTransport.Configuration()
        configuration.minimumReconnectDelay = .milliseconds(1)
        configuration.maximumReconnectDelay = .milliseconds(2)
        let transport = Relay.transport(server, configuration: configuration)
        var heard = transport.notifications().makeAsyncIterator()
        stream.send(Self.ready)
        #expect(await heard.next() == Self.everything)
    }
}
