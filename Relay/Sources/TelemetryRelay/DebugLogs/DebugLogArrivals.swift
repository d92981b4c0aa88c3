import ServiceLifecycle
import Synchronization

/// Tells requests that wait for entries that some have arrived.
public final class DebugLogArrivals: Sendable {
    private struct State {
        var lastID = 0
        var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private let state = Mutex(State())
    private let clock: any Clock<Duration>

    /// - Parameter clock: measures how long a request waits.
    public init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
    }

    /// How many requests wait now.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Says that entries were stored.
    func announce() {
        for continuation in state.withLock({ Array($0.waiting.values) }) { continuation.yield() }
    }

    /// The page that a query asks for; where it is empty and the query waits, the one that is filled first, or an empty one when
    /// the time is over, `ended` returns, the task is cancelled or the process is told to end.
    func page(
        of query: DebugLogQuery, in storage: any DebugLogStorage, until ended: (@Sendable () async -> Void)? = nil
    ) async throws -> DebugLogPage {
        guard query.wait > .zero else { return try await storage.page(of: query) }
        // From before the first look: what arrives after it is heard.
        let (arrivals, continuation) = listen()
        let timer = Task { [clock] in
            try? await clock.sleep(for: query.wait)
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
            // A cursor beyond all numbers is another relay's: whoever holds it has to know at once.
            guard page.entries.isEmpty, query.cursor ?? 0 <= page.newest else { return page }
            for await _ in arrivals {
                query.cursor = page.cursor
                page = try await storage.page(of: query)
                guard page.entries.isEmpty else { break }
            }
            return page
        } onCancelOrGracefulShutdown: {
            continuation.finish()
        }
    }

    private func listen() -> (AsyncStream<Void>, AsyncStream<Void>.Continuation) {
        // However many arrive between two looks, one look finds them.
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
