#if PostgreSQL
import PostgreSQLClient
import Synchronization

/// Yields hints for events once readers can read them.
///
/// An event is not readable while an older transaction of any relay runs; see ``PostgreSQLStore/guardStatement``. A hint that came
/// earlier would wake its reader in vain, and no later one would follow.
final class PostgreSQLEventAnnouncer: Sendable {
    private struct State {
        var pending: [(number: Int64, clients: Set<String>?)] = []
        /// The highest announced number.
        var announced: Int64
        /// The highest number that was found by looking for events at intervals.
        var polled: Int64
    }

    /// The minimum time between two looks for what is readable, so that they take little of the server's time under load.
    private static let interval: Duration = .milliseconds(5)
    /// The maximum number of pending announcements; more are replaced by one to all readers.
    private static let maximumPending = 1000

    private let database: PostgreSQLDatabase
    private let hints = HintBroadcaster()
    private let state: Mutex<State>
    private let worker = CoalescedWork()

    /// - Parameter newest: the number of the newest event.
    init(_ database: PostgreSQLDatabase, newest: Int64) {
        self.database = database
        state = Mutex(State(announced: newest, polled: newest))
    }

    func hints(of clients: Set<String>?) -> AsyncStream<Void> { hints.stream(of: clients) }

    /// Announces events of these clients up to a number; nil means all clients.
    func announce(_ number: Int64, _ clients: Set<String>?) {
        state.withLock { state in
            state.announced = max(state.announced, number)
            state.pending.append((number, clients))
            // While an old transaction runs, nothing is readable.
            if state.pending.count > Self.maximumPending { state.pending = [(state.announced, nil)] }
        }
        worker.start { [weak self] in
            await self?.hintReadable()
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// Announces events that are stored, including those of relays whose notifications were lost.
    /// - Parameter number: the number of the newest event. That a later one was announced says nothing about earlier ones.
    func announceNewest(_ number: Int64) {
        let isNew = state.withLock { state in
            defer { state.polled = max(state.polled, number) }
            return number > state.polled
        }
        if isNew { announce(number, nil) }
    }

    /// Yields a hint to every reader, and another one once all announced events are readable.
    func hintAll() {
        hints.hint(nil)
        announce(state.withLock(\.announced), nil)
    }

    /// Yields the pending hints, and ends all streams.
    func close() async {
        hint { _ in true }
        hints.finish()
        await worker.finish()
    }

    private func hintReadable() async {
        while !state.withLock(\.pending.isEmpty) {
            do {
                let next = try await database.read { [store = database.store] in try await store.eventGuard($0) }
                hint { $0 < next }
            } catch {
                // Readers find out for themselves what is wrong.
                hint { _ in true }
            }
            if !state.withLock(\.pending.isEmpty) { try? await Task.sleep(for: .milliseconds(2)) }
        }
    }

    private func hint(_ isReadable: (Int64) -> Bool) {
        let readable = state.withLock { state in
            let readable = state.pending.filter { isReadable($0.number) }
            state.pending.removeAll { isReadable($0.number) }
            return readable.map(\.clients)
        }
        guard !readable.isEmpty else { return }
        hints.hint(readable.contains(nil) ? nil : readable.reduce(into: []) { $0.formUnion($1 ?? []) })
    }
}
#endif
