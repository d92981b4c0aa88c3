import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import ServiceLifecycle
import Synchronization

/// Sends requests to an issuer while the relay runs.
final class IssuerConnection: Service {
    private static let timeout: Duration = .seconds(10)
    /// The maximum size of a response, in bytes.
    private static let maximumResponse = 1 << 20

    private let clock: any Clock<Duration>
    private let client = Mutex<HTTPClient?>(nil)

    /// - Parameter clock: bounds how long an answer may take.
    init(clock: any Clock<Duration>) { self.clock = clock }

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
        return try await Self.answer(to: message, with: client, clock: clock)
    }

    /// - Throws: ``IssuerError`` if the whole response takes more than ten seconds, and what the client throws.
    static func answer(
        to message: HTTPClientRequest, with client: HTTPClient, clock: any Clock<Duration>
    ) async throws -> IssuerRequest.Answer {
        try await withThrowingTaskGroup(of: IssuerRequest.Answer.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                let response = try await client.execute(message, deadline: .distantFuture)
                let body = try await response.body.collect(upTo: Self.maximumResponse)
                return IssuerRequest.Answer(status: Int(response.status.code), body: Data(buffer: body))
            }
            group.addTask {
                try await clock.sleep(for: Self.timeout)
                throw IssuerError("it takes more than \(Self.timeout)")
            }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
    }
}
