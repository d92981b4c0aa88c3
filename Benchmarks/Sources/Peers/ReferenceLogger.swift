public import Foundation
import Synchronization

/// A logger of a common design, as a reference: a dictionary of scenarios behind a lock, events as structs with a new UUID and
/// the time, an unbounded stream to an actor, and batches of ten to a client.
public final class ReferenceLogger: Sendable {
    /// An event of this logger.
    public struct Event: Sendable {
        public let id: String
        public let name: String
        public let timestamp: Date
        public let sessionId: String
        public let deviceType: String
        public let deviceName: String
        public let deviceModel: String
        public let osVersion: String
        public let appVersion: String
        public let threadId: String
        public let property1: String?
        public let scenario: String
    }

    /// Receives batches.
    public typealias Client = @Sendable ([Event]) async -> Void

    private actor Pipeline {
        private let client: Client
        private var batch: [Event] = []

        init(client: @escaping Client) { self.client = client }

        func receive(_ event: Event) async {
            batch.append(event)
            if batch.count >= 10 { await send() }
        }

        func send() async {
            let sent = batch
            batch = []
            if !sent.isEmpty { await client(sent) }
        }
    }

    private let scenarios = Mutex<[String: Bool]>([:])
    private let sessionId = UUID().uuidString
    private let continuation: AsyncStream<Event>.Continuation
    private let consumer: Task<Void, Never>

    public init(client: @escaping Client) {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
        self.continuation = continuation
        let pipeline = Pipeline(client: client)
        consumer = Task {
            for await event in stream { await pipeline.receive(event) }
            await pipeline.send()
        }
    }

    public func setScenarios(_ states: [String: Bool]) { scenarios.withLock { $0 = states } }

    @inline(never)
    public func log(_ name: String, scenario: String, property1: @autoclosure () -> String? = nil) {
        guard scenarios.withLock({ $0[scenario] ?? false }) else { return }
        continuation.yield(
            Event(
                id: UUID().uuidString, name: name, timestamp: Date(), sessionId: sessionId, deviceType: "server",
                deviceName: "host-17", deviceModel: "x86_64", osVersion: "Debian GNU/Linux 12", appVersion: "1.4.2",
                threadId: "\(Thread.current)", property1: property1(), scenario: scenario))
    }

    /// Returns when all events have been sent. Do not log after this call.
    public func finish() async {
        continuation.finish()
        await consumer.value
    }
}
