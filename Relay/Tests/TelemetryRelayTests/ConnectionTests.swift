import HTTPTypes
import HummingbirdTesting
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
@_spi(Tooling) import TelemetryTestSupport
import Testing

@testable import TelemetryRelay

/// Connections whose peer keeps the relay waiting.
struct ConnectionTests {
    /// A registry with a manual clock.
    private struct Bench {
        let time = TestTime()
        let registry: ConnectionRegistry

        init(connections: Int = 100, addressConnections: Int = 100, heldBytes: Int = 1 << 30, countsNetworks: Bool = true) {
            var limits = RelayLimits()
            (limits.connections, limits.addressConnections, limits.heldBytes) = (connections, addressConnections, heldBytes)
            registry = ConnectionRegistry(
                limits: limits, countsNetworks: countsNetworks, logger: TelemetryRelayTests.Bench.logger(), clock: ManualClock(),
                uptime: { [time] in time.uptime })
        }

        /// A connection of a peer with this address.
        func connect(_ address: String = "192.0.2.1") async throws -> NIOAsyncTestingChannel {
            let channel = try await NIOAsyncTestingChannel { [registry] channel in
                try channel.pipeline.syncOperations.addHandler(ConnectionHandler(registry: registry))
            }
            try await channel.connect(to: try SocketAddress(ipAddress: address, port: 1))
            return channel
        }

        /// Lets time pass, and closes what has taken too long.
        func pass(_ seconds: Int) {
            time.pass(Double(seconds))
            registry.check()
        }
    }

    private static let post = HTTPRequestPart.head(HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/v1/events"))
    private static let head = HTTPResponsePart.head(HTTPResponse(status: .ok))

    private static func bytes(_ count: Int) -> ByteBuffer { ByteBuffer(repeating: 0, count: count) }

    /// Waits until the channel is closed.
    private static func isClosed(_ channel: NIOAsyncTestingChannel) async throws { try await channel.closeFuture.get() }

    @Test("Parts of a head that take long to compare are replaced before they are read")
    func combining() async throws {
        let channel = try await Bench().connect()
        let marks = String(repeating: "\u{301}\u{323}", count: 16)
        var request = HTTPRequest(method: .get, scheme: "http", authority: "a\(marks)", path: "/a\(marks)")
        request.headerFields = [.origin: "http://a\(marks)", .accept: "a"]
        try await channel.writeInbound(HTTPRequestPart.head(request))
        guard case .head(let head) = try await channel.readInbound(as: HTTPRequestPart.self) else {
            Issue.record("There is no head.")
            return
        }
        #expect(head.authority == "\u{FFFD}" && head.path == "/\u{FFFD}")
        #expect(head.headerFields == [.origin: "\u{FFFD}", .accept: "a"])
        request = HTTPRequest(method: .get, scheme: "http", authority: "\u{e9}", path: "/?\u{e9}")
        #expect(request.withSafeTexts() == request)
    }

    @Test("A connection ends if its peer acknowledges nothing for 30 seconds")
    func acknowledgements() async throws {
        let timeout = ConnectionHandler.acknowledgementTimeout
        let options = try await Bench().connect().options
        #expect(options.contains { $0.option as? ChannelOptions.Types.SocketOption == timeout.option })
        #expect(options.contains { $0.value as? SocketOptionValue == timeout.value })
    }

    @Test("A first request has to arrive within 60 seconds, and a next one within 75")
    func heads() async throws {
        let bench = Bench()
        let silent = try await bench.connect()
        let used = try await bench.connect()
        bench.pass(59)
        #expect(bench.registry.count == 2)
        try await used.writeInbound(Self.post)
        try await used.writeInbound(HTTPRequestPart.end(nil))
        bench.pass(1)
        try await Self.isClosed(silent)
        // A request that is worked on may take any time.
        bench.pass(1_000)
        try await used.writeOutbound(Self.head)
        try await used.writeOutbound(HTTPResponsePart.end(nil))
        bench.pass(74)
        #expect(bench.registry.count == 1)
        bench.pass(1)
        try await Self.isClosed(used)
        #expect(bench.registry.closed[.head] == 1)
        #expect(bench.registry.closed[.idle] == 1)
        #expect(bench.registry.count == 0)
    }

    @Test("A body has to arrive at one kibibyte a second, and within five minutes")
    func bodies() async throws {
        let bench = Bench()
        let (dripping, slow) = (try await bench.connect(), try await bench.connect())
        for channel in [dripping, slow] { try await channel.writeInbound(Self.post) }
        for second in 1...299 {
            try await slow.writeInbound(HTTPRequestPart.body(Self.bytes(1_024)))
            if second < 32 { try await dripping.writeInbound(HTTPRequestPart.body(Self.bytes(1))) }
            bench.pass(1)
            #expect(bench.registry.count == (second < 31 ? 2 : 1))
        }
        try await Self.isClosed(dripping)
        #expect(bench.registry.heldBytes == 299 * 1_024)
        bench.pass(1)
        try await Self.isClosed(slow)
        #expect(bench.registry.closed[.body] == 2)
        #expect(bench.registry.heldBytes == 0)
    }

    @Test("The rest of a body that was answered early may take ten seconds")
    func restOfBody() async throws {
        let bench = Bench()
        let channel = try await bench.connect()
        try await channel.writeInbound(Self.post)
        try await channel.writeOutbound(Self.head)
        try await channel.writeOutbound(HTTPResponsePart.end(nil))
        for _ in 1...9 {
            try await channel.writeInbound(HTTPRequestPart.body(Self.bytes(1 << 20)))
            bench.pass(1)
        }
        #expect(bench.registry.count == 1)
        // It is read and discarded.
        #expect(bench.registry.heldBytes == 0)
        #expect(try await channel.readInbound(as: HTTPRequestPart.self) == Self.post)
        #expect(try await channel.readInbound(as: HTTPRequestPart.self) == nil)
        bench.pass(1)
        try await Self.isClosed(channel)
        #expect(bench.registry.closed[.body] == 1)
    }

    @Test("A response may be read slowly, but not stand still for 30 seconds")
    func responses() async throws {
        let bench = Bench()
        let channel = try await bench.connect()
        try await channel.writeInbound(Self.post)
        try await channel.writeInbound(HTTPRequestPart.end(nil))
        // Written, but not sent before it is flushed, as to a peer that does not read.
        let written = channel.write(HTTPResponsePart.body(Self.bytes(200_000)))
        try await channel.testingEventLoop.executeInContext {}
        #expect(bench.registry.heldBytes == 200_000)
        bench.pass(29)
        channel.flush()
        try await written.get()
        // The channel reports parts of 64 KiB.
        var sizes: [Int] = []
        while case .body(let part)? = try await channel.readOutbound(as: HTTPResponsePart.self) {
            sizes.append(part.readableBytes)
        }
        #expect(sizes == [65_536, 65_536, 65_536, 3_392])
        #expect(bench.registry.heldBytes == 0)
        channel.write(HTTPResponsePart.body(Self.bytes(1)), promise: nil)
        try await channel.testingEventLoop.executeInContext {}
        bench.pass(29)
        #expect(bench.registry.count == 1)
        bench.pass(1)
        try await Self.isClosed(channel)
        #expect(bench.registry.closed[.response] == 1)
        #expect(bench.registry.heldBytes == 0)
    }

    @Test("A full relay closes the connection that has waited longest, and never one that it works for")
    func room() async throws {
        let bench = Bench(connections: 3)
        let worked = try await bench.connect()
        try await worked.writeInbound(Self.post)
        try await worked.writeInbound(HTTPRequestPart.end(nil))
        bench.pass(1)
        let (first, second) = (try await bench.connect("192.0.2.2"), try await bench.connect("192.0.2.3"))
        bench.pass(1)
        try await second.writeInbound(Self.post)
        let third = try await bench.connect("192.0.2.4")
        try await Self.isClosed(first)
        #expect(bench.registry.count == 3)
        try await third.writeInbound(Self.post)
        for channel in [second, third] { try await channel.writeInbound(HTTPRequestPart.end(nil)) }
        // All are worked for: there is no room.
        try await Self.isClosed(try await bench.connect("192.0.2.5"))
        #expect(bench.registry.count == 3)
        var text = PrometheusText()
        let bodies = WaitingBodies(limit: 1, body: 1)
        RelayGauges(usage: nil, streams: 0, bodies: bodies, connections: bench.registry, omittedAuditEntries: 3).write(
            to: &text)
        #expect(text.text.contains("relay_connections_closed_total{reason=\"room\"} 2\n"))
        #expect(text.text.contains("relay_connections_open 3\n"))
        #expect(text.text.contains("relay_audit_entries_omitted_total 3\n"))
    }

    @Test("The parts of a body that are read together are one, however small they are")
    func parts() async throws {
        let bench = Bench()
        let channel = try await bench.connect()
        try await channel.writeInbound(Self.post)
        try await channel.testingEventLoop.executeInContext {
            for _ in 1...1_000 { channel.pipeline.fireChannelRead(HTTPRequestPart.body(Self.bytes(1))) }
            channel.pipeline.fireChannelReadComplete()
        }
        try await channel.writeInbound(HTTPRequestPart.body(Self.bytes(2)))
        try await channel.writeInbound(HTTPRequestPart.end(nil))
        #expect(bench.registry.heldBytes == 1_002)
        var parts: [HTTPRequestPart] = []
        while let part = try await channel.readInbound(as: HTTPRequestPart.self) { parts.append(part) }
        #expect(parts == [Self.post, .body(Self.bytes(1_000)), .body(Self.bytes(2)), .end(nil)])
    }

    @Test("One address, or one IPv6 network, has its share of the connections")
    func addresses() async throws {
        let bench = Bench(addressConnections: 2)
        let other = try await bench.connect("2001:db8:0:2::1")
        let first = try await bench.connect("2001:db8:0:1::1")
        bench.pass(1)
        _ = try await bench.connect("2001:db8:0:1::2")
        _ = try await bench.connect("2001:db8:0:1::3")
        try await Self.isClosed(first)
        #expect(other.isActive)
        #expect(bench.registry.count == 3)
        let proxied = Bench(addressConnections: 2, countsNetworks: false)
        for _ in 1...5 { _ = try await proxied.connect() }
        #expect(proxied.registry.count == 5)
    }

    @Test("What all connections hold is bounded; the peer that has not read for longest loses its connection")
    func memory() async throws {
        let bench = Bench(heldBytes: 100)
        var channels: [NIOAsyncTestingChannel] = []
        for _ in 1...3 {
            let channel = try await bench.connect()
            try await channel.writeInbound(Self.post)
            try await channel.writeInbound(HTTPRequestPart.end(nil))
            channel.write(HTTPResponsePart.body(Self.bytes(40)), promise: nil)
            try await channel.testingEventLoop.executeInContext {}
            channels.append(channel)
            bench.pass(1)
        }
        try await Self.isClosed(channels[0])
        #expect(bench.registry.closed[.memory] == 1)
        #expect(bench.registry.heldBytes == 80)
        let sending = try await bench.connect()
        try await sending.writeInbound(Self.post)
        try await sending.writeInbound(HTTPRequestPart.body(Self.bytes(40)))
        try await Self.isClosed(channels[1])
        #expect(channels[2].isActive)
        #expect(sending.isActive)
    }

    @Test("A peer that sends a long body behind a request that is worked on loses its connection, not others")
    func ahead() async throws {
        let bench = Bench(heldBytes: 40_000)
        let (greedy, honest) = (try await bench.connect(), try await bench.connect())
        try await honest.writeInbound(Self.post)
        try await honest.writeInbound(HTTPRequestPart.body(Self.bytes(20_000)))
        try await greedy.writeInbound(Self.post)
        try await greedy.writeInbound(HTTPRequestPart.end(nil))
        try await greedy.writeInbound(Self.post)
        try await greedy.writeInbound(HTTPRequestPart.body(Self.bytes(16_384)))
        #expect(bench.registry.count == 2)
        try await greedy.writeInbound(HTTPRequestPart.body(Self.bytes(1)))
        try await Self.isClosed(greedy)
        #expect(bench.registry.count == 1)
        #expect(bench.registry.heldBytes == 20_000)
        #expect(bench.registry.closed[.memory] == 1)
        // Behind an answered one, it may have any length.
        try await honest.writeInbound(HTTPRequestPart.end(nil))
        for _ in 0..<3 {
            try await honest.writeOutbound(Self.head)
            try await honest.writeOutbound(HTTPResponsePart.end(nil))
            try await honest.writeInbound(Self.post)
            try await honest.writeInbound(HTTPRequestPart.body(Self.bytes(30_000)))
            try await honest.writeInbound(HTTPRequestPart.end(nil))
        }
        #expect(bench.registry.count == 1)
    }

    @Test("A refused request gets its answer before its connection closes", arguments: [100, 8 << 20])
    func refusal(bytes: Int) async throws {
        var configuration = RelayConfiguration()
        (configuration.limits.recordBytes, configuration.limits.bodyBytes) = (10, 1_000)
        try await RelayBench.run(.live, configuration: configuration) { relay async throws -> Void in
            let record = WireSample.record("1", more: #","x":"\#(String(repeating: "x", count: bytes))""#)
            let answer = try await relay.send(
                .post, "/v1/records", WireSample.save("insert", record), as: .host("a"), headers: [.connection: "close"])
            #expect(answer.status == .contentTooLarge)
        }
    }

    @Test("A full relay closes a waiting connection for a new one, and refuses one while it works for all of them")
    func full() async throws {
        var configuration = RelayConfiguration()
        // Two from each address, of which the bench has one from the start, without a request.
        configuration.limits.connections = 4
        try await RelayBench.run(.live, configuration: configuration) { relay async throws -> Void in
            let port = try #require(relay.client.port)
            let headers = TestCaller.bearing(try await relay.token(.viewer)).headers.map { ($0.name.rawName, $0.value) }
            func stream(_ body: () async throws -> Void) async throws {
                try await StreamLines.open(port: port, "/v1/notifications", headers: headers) { stream in
                    #expect(try await stream.next()?.name == "ready")
                    try await body()
                }
            }
            try await stream {
                try await stream {
                    let head = try? await StreamLines.open(port: port, "/healthz") { $0.head }
                    #expect(head ?? "" == "")
                }
            }
        }
    }
}
