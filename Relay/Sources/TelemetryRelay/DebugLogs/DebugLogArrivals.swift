import ServiceLifecycle
import Synchronization

/// Notifies waiting requests of new debug log entries.
public final class DebugLogArrivals: Sendable {
    private struct State {
        var lastID = 0
        var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    /// How often a waiting request looks for entries that arrived at another relay.
    private static let sharedInterval: Duration = .seconds(1)

    private let state = Mutex(State())
    private let clock: any Clock<Duration>

    /// - Parameter clock: measures how long a request waits.
    public init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
    }

    /// The number of waiting requests.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Notifies all waiting requests.
    func announce() {
        for continuation in state.withLock({ Array($0.waiting.values) }) { continuation.yield() }
    }

    /// Returns the page for a query. If it is empty and the query waits, returns the first page that is not empty, or an empty
    /// one when the wait ends, `ended` returns, the task is cancelled or a graceful shutdown begins.
    func page(
        of query: DebugLogQuery, in storage: any DebugLogStorage, until ended: (@Sendable () async -> Void)? = nil
    ) async throws -> DebugLogPage {
        guard query.wait > .zero else { return try await storage.page(of: query) }
        // Subscribes before the first read, so that no arrival after it is missed.
        let (arrivals, continuation) = listen()
        let interval = storage.isShared ? Self.sharedInterval : query.wait
        let timer = Task { [clock] in
            await Self.tick(continuation, every: interval, for: query.wait, clock)
            continuation.finish()
        }
        let end = ended.map { ended in
            Task {
                await ended()
                continuation.finish()
            }
        }
        defer {
            timer.cancel()
            end?.cancel()
            continuation.finish()
        }
        return try await withTaskCancellationOrGracefulShutdownHandler {
            var query = query
            var page = try await storage.page(of: query)
            // A cursor above all numbers belongs to another relay: return at once, so that the client can detect this.
            guard page.entries.isEmpty, query.cursor ?? 0 <= page.newest else { return page }
            for await _ in arrivals {
                query.cursor = page.cursor
                // A read that the cancellation interrupts ends the wait.
                do { page = try await storage.page(of: query) } catch is CancellationError { break }
                guard page.entries.isEmpty else { break }
            }
            return page
        } onCancelOrGracefulShutdown: {
            continuation.finish()
        }
    }

    /// Yields an element at each interval until the time is over or the task is cancelled.
    private static func tick<C: Clock<Duration>>(
        _ continuation: AsyncStream<Void>.Continuation, every interval: Duration, for time: Duration, _ clock: C
    ) async {
        let end = clock.now.advanced(by: time)
        while clock.now < end {
            let next = min(end, clock.now.advanced(by: interval))
            guard (try? await clock.sleep(until: next, tolerance: nil)) != nil else { return }
            if next < end { continuation.yield() }
        }
    }

    private func listen() -> (AsyncStream<Void>, AsyncStream<Void>.Continuation) {
        // One element is enough: a read finds all entries that arrived before it.
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastID += 1
            state.waiting[state.lastID] = continuation
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.waiting.removeValue(forKey: id) } }
        return (stream, continuation)
    }
}
