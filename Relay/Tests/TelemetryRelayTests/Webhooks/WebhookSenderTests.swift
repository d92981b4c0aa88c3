import Foundation
import Hummingbird
import HummingbirdTesting
import ServiceLifecycle
import Synchronization
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

@testable import TelemetryRelay

/// The attempts to deliver messages.
@Suite(.timeLimit(.minutes(5)))
struct WebhookSenderTests {
    /// A receiver that answers as the test says.
    private final class Receiver: Sendable {
        private let answer: @Sendable (WebhookRequest) async throws -> Int
        private let received = Mutex<[String]>([])
        let requests: AsyncStream<WebhookRequest>
        private let continuation: AsyncStream<WebhookRequest>.Continuation

        init(_ answer: @escaping @Sendable (WebhookRequest) async throws -> Int) {
            self.answer = answer
            (requests, continuation) = AsyncStream.makeStream()
        }

        var messages: [String] { received.withLock { $0 } }

        func send(_ request: WebhookRequest) async throws -> Int {
            received.withLock { $0.append(request.headers["webhook-id"] ?? "") }
            continuation.yield(request)
            return try await answer(request)
        }
    }

    private let time = TestTime()
    private let clock = ManualClock()
    private let metrics = RelayMetrics()

    private func sender(_ storage: any RelayStorage, _ receiver: Receiver) -> WebhookSender {
        WebhookSender(
            storage: storage.webhooks, metrics: metrics, clock: clock, now: { [time] in time.now }, logger: Bench.logger(),
            send: receiver.send)
    }

    /// Runs `body` with two webhooks and a function that lets time pass and sends what is due.
    private func run(
        _ receiver: Receiver,
        _ body: (_ storage: any RelayStorage, _ webhooks: RelayWebhooks, _ pass: (TimeInterval) async -> Void) async throws ->
            Void
    ) async throws {
        try await StorageBench.open(.memory, time: time) { storage in
            let webhooks = RelayWebhooks(storage: storage.webhooks)
            for name in ["a", "b"] { _ = try await webhooks.add(name, url: "https://\(name).test") }
            let sender = sender(storage, receiver)
            try await body(storage, webhooks) { seconds in
                time.pass(seconds)
                await sender.sendDue()
            }
        }
    }

    private func count(_ result: String) -> String? {
        var text = PrometheusText()
        metrics.write(to: &text)
        return text.text.split(separator: "\n").first { $0.hasPrefix("relay_webhook_deliveries_total{result=\"\(result)\"}") }
            .map { String($0.split(separator: " ")[1]) }
    }

    @Test("Messages of each webhook arrive in order, all of them at the first look")
    func order() async throws {
        let receiver = Receiver { _ in 204 }
        try await run(receiver) { storage, webhooks, pass in
            var sent: [String] = []
            for _ in 1...3 { sent.append(try await webhooks.test("a")) }
            await pass(1)
            #expect(receiver.messages == sent)
            #expect(try await storage.usage().deliveries == 0)
            #expect(count("delivered") == "3" && count("failed") == "0")
        }
    }

    @Test("A failure is repeated with growing delays, and those behind it wait; other webhooks do not")
    func failures() async throws {
        let isUp = Mutex(false)
        let receiver = Receiver { request in request.url == "https://b.test" || isUp.withLock { $0 } ? 200 : 500 }
        try await run(receiver) { storage, webhooks, pass in
            let sent = [try await webhooks.test("a"), try await webhooks.test("a"), try await webhooks.test("b")]
            await pass(1)
            #expect(receiver.messages.sorted() == [sent[0], sent[2]].sorted())
            #expect(try await webhooks.progress(of: sent[0]) == .waiting(lastFailure: "status 500"))
            for (seconds, attempts) in [(4.0, 1), (1, 2), (9, 2), (1, 3), (19, 3), (1, 4)] {
                await pass(seconds)
                #expect(receiver.messages.count { $0 == sent[0] } == attempts)
            }
            isUp.withLock { $0 = true }
            await pass(40)
            #expect(receiver.messages.suffix(2) == sent.prefix(2))
            #expect(try await storage.usage().deliveries == 0)
            #expect(count("delivered") == "3" && count("failed") == "4" && count("abandoned") == "0")
        }
    }

    @Test("Delays double from five seconds to an hour")
    func delays() {
        #expect([1, 2, 3, 10, 11, 1_000].map(WebhookSender.delay) == [5, 10, 20, 2_560, 3_600, 3_600])
    }

    @Test("After a day a message is given up, and the next one is tried")
    func abandons() async throws {
        let receiver = Receiver { _ in 503 }
        try await run(receiver) { storage, webhooks, pass in
            let old = try await webhooks.test("a")
            await pass(1)
            await pass(WebhookStore.maximumAge - 10)
            let new = try await webhooks.test("a")
            #expect(try await webhooks.progress(of: old) == .waiting(lastFailure: "status 503"))
            await pass(20)
            #expect(try await webhooks.progress(of: old) == .ended)
            #expect(receiver.messages.last == new)
            #expect(try await webhooks.progress(of: new) == .waiting(lastFailure: "status 503"))
            #expect(count("abandoned") == "1")
        }
    }

    @Test("A receiver that does not answer delays only its own messages; the end of the relay returns them at once")
    func hangs() async throws {
        let receiver = Receiver { request in
            guard request.url == "https://a.test" else { return 200 }
            // Until the task is cancelled.
            for await _ in AsyncStream<Void>.makeStream().stream {}
            throw CancellationError()
        }
        try await StorageBench.open(.memory, time: time) { storage in
            let webhooks = RelayWebhooks(storage: storage.webhooks)
            for name in ["a", "b"] { _ = try await webhooks.add(name, url: "https://\(name).test") }
            let (slow, quick) = (try await webhooks.test("a"), try await webhooks.test("b"))
            let sender = sender(storage, receiver)
            let work = Task { await sender.run() }
            await clock.sleepers()
            clock.advance(by: .seconds(1))
            var requests = receiver.requests.makeAsyncIterator()
            let both = [await requests.next(), await requests.next()].map { $0?.headers["webhook-id"] }
            #expect(Set(both) == [slow, quick])
            await clock.sleepers()
            let next = try await webhooks.test("b")
            clock.advance(by: .seconds(1))
            #expect(await requests.next()?.headers["webhook-id"] == next)
            work.cancel()
            await work.value
            #expect(try await webhooks.progress(of: slow) == .waiting(lastFailure: "the relay ended during the attempt"))
            #expect(try await storage.webhooks.take(of: nil).map(\.message) == [slow])
        }
    }

    @Test("A message does not wait for webhooks of the same host that do not answer")
    func busyHost() async throws {
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let (waiting, release) = AsyncStream<Void>.makeStream()
        let router = Router()
        router.post("silent") { _, _ in
            arrived.yield()
            for await _ in waiting {}
            return HTTPResponse.Status.ok
        }
        router.post("good") { _, _ in HTTPResponse.Status.accepted }
        try await Application(router: router).testInTurn(.live) { client in
            let port = try #require(client.port)
            func request(_ path: String) throws -> WebhookRequest {
                let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
                let webhook = RelayWebhook(
                    name: path, url: "http://127.0.0.1:\(port)/\(path)", secret: secret, created: .distantPast)
                let delivery = RelayDelivery(webhook: webhook, message: "m", body: Data("{}".utf8), attempts: 1, age: 0)
                return WebhookRequest(delivery, at: time.now)
            }
            let (silent, good) = (try request("silent"), try request("good"))
            try await WebhookService.withClient { send in
                try await withThrowingTaskGroup(of: Int.self) { group in
                    defer { release.finish() }
                    for _ in 0..<8 { group.addTask { try await send(silent) } }
                    var arrivals = arrivals.makeAsyncIterator()
                    for _ in 0..<8 { await arrivals.next() }
                    let status = try await send(good)
                    #expect(status == 202)
                }
            }
        }
    }

    @Test("Over HTTP, a message arrives as it was signed; a redirect is not followed")
    func http() async throws {
        let (received, continuation) = AsyncStream<(headers: [String: String], body: Data)>.makeStream()
        let router = Router()
        router.post("hook") { request, _ in
            let body = try await request.body.collect(upTo: 10_000)
            var headers: [String: String] = [:]
            for field in request.headers { headers[field.name.canonicalName] = field.value }
            continuation.yield((headers, Data(body.readableBytesView)))
            return HTTPResponse.Status.ok
        }
        router.post("moved") { _, _ in Response(status: .temporaryRedirect, headers: [.location: "/hook"]) }
        try await Application(router: router).testInTurn(.live) { client in
            let port = try #require(client.port)
            let storage = try SQLiteRelayStorage(inMemory: .init())
            let webhooks = RelayWebhooks(storage: storage.webhooks)
            _ = try await webhooks.add("moved", url: "http://127.0.0.1:\(port)/moved")
            let moved = try await webhooks.test("moved")
            try await WebhookService.withClient { [time, metrics] send in
                let sender = WebhookSender(
                    storage: storage.webhooks, metrics: metrics, clock: ContinuousClock(), now: { time.now },
                    logger: Bench.logger(), send: send)
                await sender.sendDue()
            }
            #expect(try await webhooks.progress(of: moved) == .waiting(lastFailure: "status 307"))
            let secret = try #require(try await webhooks.add("hook", url: "http://127.0.0.1:\(port)/hook"))
            let message = try await webhooks.test("hook")
            let work = Task { [metrics] in
                try await WebhookService(storage: storage.webhooks, metrics: metrics, logger: Bench.logger()).run()
            }
            var requests = received.makeAsyncIterator()
            let request = try #require(await requests.next())
            #expect(request.headers["webhook-id"] == message)
            let timestamp = try #require(request.headers["webhook-timestamp"])
            #expect(
                request.headers["webhook-signature"]
                    == secret.signature(of: message, timestamp: timestamp, body: request.body))
            #expect(String(decoding: request.body, as: UTF8.self).hasPrefix(#"{"alert":"test","firedAt":""#))
            work.cancel()
            try await work.value
            try await storage.close()
        }
    }
}
