import AsyncHTTPClient
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle

/// Sends deliveries over HTTP while the relay runs.
struct WebhookService: Service {
    private static let timeout: TimeAmount = .seconds(15)

    let storage: any RelayWebhookStorage
    let metrics: RelayMetrics
    let logger: Logger

    func run() async throws {
        try await Self.withClient { send in
            await WebhookSender(storage: storage, metrics: metrics, clock: ContinuousClock(), logger: logger, send: send).run()
        }
    }

    /// Runs `body` with a function that sends over HTTP.
    static func withClient(_ body: (@escaping WebhookSender.Send) async throws -> Void) async throws {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(connect: .seconds(5), read: .seconds(10))
        // Webhooks of one host wait for each other otherwise, from the ninth on.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = RelayWebhook.maximum
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            try await body { try await send($0, with: client) }
        } catch {
            try? await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    /// - Returns: the status of the response. Its body is not read.
    private static func send(_ request: WebhookRequest, with client: HTTPClient) async throws -> Int {
        var message = HTTPClientRequest(url: request.url)
        message.method = .POST
        for (name, value) in request.headers { message.headers.add(name: name, value: value) }
        message.body = .bytes(ByteBuffer(bytes: request.body))
        return Int(try await client.execute(message, timeout: timeout).status.code)
    }
}
