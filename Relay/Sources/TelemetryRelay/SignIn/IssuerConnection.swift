import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import ServiceLifecycle
import Synchronization

/// Sends requests to an issuer while the relay runs.
final class IssuerConnection: Service {
    private static let timeout: TimeAmount = .seconds(10)
    /// The maximum size of a response, in bytes.
    private static let maximumResponse = 1 << 20

    private let client = Mutex<HTTPClient?>(nil)

    func run() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(connect: .seconds(5), read: .seconds(10))
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.client.withLock { $0 = client }
        try? await gracefulShutdown()
        self.client.withLock { $0 = nil }
        try await client.shutdown()
    }

    /// - Throws: ``IssuerError`` if the relay does not run, and what the client throws.
    func send(_ request: IssuerRequest) async throws -> IssuerRequest.Answer {
        guard let client = client.withLock(\.self) else { throw IssuerError("the relay is starting or shutting down") }
        var message = HTTPClientRequest(url: request.url)
        message.headers.add(name: "accept", value: "application/json")
        message.headers.add(name: "user-agent", value: "telemetry-relay")
        if let form = request.formText {
            message.method = .POST
            message.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
            message.body = .bytes(ByteBuffer(string: form))
        }
        let response = try await client.execute(message, timeout: Self.timeout)
        let body = try await response.body.collect(upTo: Self.maximumResponse)
        return IssuerRequest.Answer(status: Int(response.status.code), body: Data(buffer: body))
    }
}
