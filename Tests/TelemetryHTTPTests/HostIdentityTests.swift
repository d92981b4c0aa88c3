import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryHTTP

@Suite(.oneAtATime)
struct HostIdentityTests {
    @Test("The key is the HMAC-SHA256 of RFC 4231")
    func computesHMAC() {
        #expect(
            HMACSHA256.hexDigest(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            HMACSHA256.hexDigest(
                of: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                key: [UInt8](repeating: 0xAA, count: 131))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    static let names: [(String, String)] = [
        ("k7m2pqx9ab", "k7m2pqx9ab"), ("a/b c,d", "a%2Fb%20c%2Cd"), ("caf\u{e9}", "caf%C3%A9"), ("cafe\u{301}", "caf%C3%A9"),
        (".", "%2E"), ("..", "%2E%2E"), ("a.b", "a.b"), ("\u{0}\r\n", "%00%0D%0A"), ("~-_", "~-_"),
        ("\u{10041}\u{301}", "%F0%90%81%81%CC%81"), ("\u{11131}\u{11127}", "%F0%91%84%AE"),
    ]

    @Test("The headers hold the identifier in form C, percent-encoded, and its key", arguments: names)
    func sendsHeaders(_ name: String, _ encoded: String) async throws {
        let server = try LoopbackServer(Relay.stored(1))
        defer { server.stop() }
        let transport = await Relay.host(server, as: name)
        try await transport.append([TelemetryFixtures.event(clientId: name)])
        let request = try #require(server.requests.first)
        #expect(request.header("Authorization") == "Bearer t0ken")
        #expect(request.header("Telemetry-Client") == encoded)
        #expect(
            request.header("Telemetry-Client-Key")
                == HMACSHA256.hexDigest(of: Array(ComposedForm.string(of: name).utf8), key: Array(Relay.secret)))
    }

    @Test("A host's call without an identifier throws .unauthorized and sends no request; a viewer sends no client headers")
    func needsIdentifier() async throws {
        let server = try LoopbackServer(.answers(200, body: #"{"count":1}"#))
        defer { server.stop() }
        let host = await Relay.host(server, as: nil)
        let error = await #expect(throws: TelemetryTransportError.self) { _ = try await host.countEvents() }
        #expect(error?.code == .unauthorized)
        #expect(server.requests.isEmpty)
        let viewer = Relay.transport(server)
        await viewer.setClientIdentifier("c")
        #expect(try await viewer.countEvents() == 1)
        #expect(server.requests.first?.header("Telemetry-Client") == nil)
        _ = try await Relay.transport(server, .viewer(token: nil)).countEvents()
        #expect(server.requests.last?.header("Authorization") == nil)
    }

    @Test("A client that changed its identifier can delete the old one's data, and sends both identifiers only if needed")
    func listsEarlierIdentifiers() async throws {
        let server = try LoopbackServer { request in
            request.path == "/v1/records/delete" ? .answers(200, body: #"{"deleted":1}"#) : .answers(200, body: #"{"deleted":2}"#)
        }
        defer { server.stop() }
        let transport = await Relay.host(server, as: "old")
        await transport.setClientIdentifier(nil)
        await transport.setClientIdentifier("new")
        try await transport.deleteEvents(forClient: "old")
        try await transport.deleteEvents(forClient: "new")
        try await transport.deleteEvents(forClient: "foreign")
        try await transport.deleteRecords(withIDs: ["a"])
        #expect(server.requests.map { $0.header("Telemetry-Client") } == ["old", "new", "new", "new,old"])
        #expect(server.requests.last?.header("Telemetry-Client-Key")?.split(separator: ",").map(\.count) == [64, 64])
    }

    @Test("An earlier identifier with another key does not keep the current one from its records; a deletion still fails")
    func survivesLostKey() async throws {
        let server = try LoopbackServer { request in
            request.header("Telemetry-Client")?.contains("old") == true
                ? Relay.problem(403, "unauthorized") : .answers(404, body: "{}")
        }
        defer { server.stop() }
        let transport = await Relay.host(server, as: "old")
        await transport.setClientIdentifier("new")
        #expect(try await transport.record(withID: .client("new")) == nil)
        #expect(try await transport.subscription(withID: "s") == nil)
        #expect(server.requests.map { $0.header("Telemetry-Client") } == ["new,old", "new", "new,old", "new"])
        let error = await #expect(throws: TelemetryTransportError.self) { try await transport.deleteRecords(withIDs: ["a"]) }
        #expect(error?.code == .unauthorized)
        #expect(server.requests.count == 5)
    }

    @Test("At most eight identifiers are kept, newest first, without duplicates; an invalid one changes nothing")
    func boundsIdentifiers() async throws {
        var identities = ClientIdentities()
        for index in 1...12 { try identities.set("c\(index)") }
        try identities.set("c8")
        #expect(identities.known == ["c8", "c12", "c11", "c10", "c9", "c7", "c6", "c5"])
        for bad in ["", String(repeating: "x", count: 1_025)] {
            #expect(throws: TelemetryTransportError.self) { try identities.set(bad) }
        }
        #expect(identities.current == "c8")
        try identities.set("cafe\u{301}")
        try identities.set("caf\u{e9}")
        #expect(identities.known.prefix(2) == ["caf\u{e9}", "c8"])
    }

    @Test("No token, secret or key is in any description, dump or error", arguments: [true, false])
    func hidesTokens(_ isHost: Bool) async throws {
        let server = try LoopbackServer(Relay.problem(401, "unauthorized"))
        defer { server.stop() }
        let credentials: TelemetryRelayCredentials =
            isHost
            ? .host(token: "t0ken\n", secrets: InMemoryTelemetrySecretStore(secret: Relay.secret)) : .viewer(token: " t0ken")
        let url = try #require(URL(string: "http://user:t0ken@127.0.0.1:\(server.baseURL.port ?? 0)/?token=t0ken"))
        let transport = HTTPTelemetryTransport(url: url, credentials: credentials)
        await transport.setClientIdentifier("c")
        let error = await #expect(throws: TelemetryTransportError.self) { _ = try await transport.countEvents() }
        let info = await transport.debugInfo()
        #expect(info.containerID == "http://127.0.0.1:\(server.baseURL.port ?? 0)")
        var dumped = ""
        dump(transport, to: &dumped)
        dump(credentials, to: &dumped)
        dump(error, to: &dumped)
        let texts = [
            dumped, "\(transport)", String(reflecting: transport), "\(credentials)", String(reflecting: credentials), "\(info)",
            error.map { "\($0) \(String(reflecting: $0)) \($0.localizedDescription)" } ?? "",
        ]
        let key = HMACSHA256.hexDigest(of: Array("c".utf8), key: Array(Relay.secret))
        for text in texts { for secret in ["t0ken", key] { #expect(!text.contains(secret)) } }
        #expect(server.requests.first?.header("Authorization") == "Bearer t0ken", "white space around a token is removed")
    }

    @Test("A token that is not valid in a header is refused without a request")
    func checksTokens() async throws {
        let server = try LoopbackServer(.stalls)
        defer { server.stop() }
        for token in ["a b", "a\r\nX: y", "é"] {
            let error = await #expect(throws: TelemetryTransportError.self) {
                _ = try await Relay.transport(server, .viewer(token: token)).countEvents()
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains(token) == false)
        }
        #expect(server.requests.isEmpty)
    }
}
