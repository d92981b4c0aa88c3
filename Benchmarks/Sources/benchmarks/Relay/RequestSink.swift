import TelemetryHTTP
@_spi(Tooling) import TelemetryTestSupport

/// A server that keeps the bytes of each request and answers that fifty events are stored.
struct RequestSink {
    private let server: LoopbackServer

    /// - Parameter acceptsLines: whether transports send lines after their first request.
    init(acceptsLines: Bool) throws {
        server = try LoopbackServer(keepsConnections: true) { _ in
            var headers = ["Content-Type": "application/json"]
            if acceptsLines { headers["Accept-Post"] = "application/vnd.livetelemetry.lines" }
            return .answers(200, headers: headers, body: "{\"stored\":50,\"duplicates\":0}")
        }
    }

    /// A transport of a host that sends its requests here.
    func host(_ client: String) async -> HTTPTelemetryTransport {
        let transport = HTTPTelemetryTransport(
            url: server.baseURL, credentials: .host(token: nil, secrets: InMemoryTelemetrySecretStore()))
        await transport.setClientIdentifier(client)
        return transport
    }

    var requests: [[UInt8]] { server.requests.map { Array("\($0.head)\r\n\r\n".utf8) + $0.body } }
}
