import Foundation
import Synchronization
@_spi(Tooling) import TelemetryModels

/// Stores events as blocks in the tables of a database.
final class EventStore: RelayEventStorage {
    private let database: any StorageDatabase
    private let retention: BlockRetention
    private let rules: RuleRetention?
    private let limits: ScenarioLimits
    private let now: @Sendable () -> Date
    private let merging: BlockMerging
    private let runs: ExpiredRuns
    private let audit: AuditLog
    private let arrival: ArrivalTime
    private let appender: EventAppender
    let announcer: ChangeAnnouncer
    private let cache = BlockCache()
    private let progress = Progress()
    private let unreadable: UnreadableBlocks

    /// - Parameters:
    ///   - next: the number of the next event.
    ///   - notify: notifies other relays of events of these clients.
    init(
        _ database: any StorageDatabase, _ configuration: RelayStorageConfiguration, audit: AuditLog, arrival: ArrivalTime,
        next: Int64, notify: (@Sendable (Set<String>?) -> Void)?
    ) {
        self.database = database
        (self.audit, self.arrival) = (audit, arrival)
        retention = BlockRetention(configuration.events)
        rules = RuleRetention(configuration.events)
        (limits, now) = (ScenarioLimits(configuration.events), configuration.now)
        unreadable = UnreadableBlocks(logger: configuration.logger)
        merging = BlockMerging(configuration.events)
        runs = ExpiredRuns(kept: configuration.expiredRuns)
        let announcer = ChangeAnnouncer(next: next, notify: notify)
        self.announcer = announcer
        appender = EventAppender(
            database: database, writer: EventBlockWriter(retention: retention, arrival: arrival)
        ) { [progress] outcome, batches in
            progress.add(outcome.expired)
            announcer.announce(outcome.numbers, of: batches.reduce(into: []) { $0.formUnion($1.clients) })
        }
    }

    func append(_ batch: RelayEventBatch) async throws -> RelayAppendResult {
        guard !batch.events.isEmpty else { return RelayAppendResult(stored: 0, duplicates: 0) }
        return try await appender.append(batch)
    }

    func page(
        matching filter: RelayEventFilter, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
    ) async throws -> RelayEventPage {
        let pages = BlockPages(filter, cache: cache, unreadable: unreadable)
        return try await database.query { try pages.page($0, after: cursor, limit: limit, order: order) }
    }

    func count(matching filter: RelayEventFilter) async throws -> Int {
        try await database.query { [cache] db in
            let state = try EventState.fetch(db)
            if filter == .all { return Int(state.events) }
            guard state.firstEvent < state.nextEvent else { return 0 }
            return try BlockReader(db, EventSelection(filter)) { try cache.text(of: $0, in: state.store, db) }
                .count(in: state.firstEvent...(state.nextEvent - 1))
        }
    }

    func scenarioSizes() async throws -> (sizes: [RelayScenarioSize], hasMore: Bool) {
        try await database.query { [arrival, limits, now] db in
            let state = try EventState.fetch(db)
            guard state.firstEvent < state.nextEvent else { return ([], false) }
            var sizes = ScenarioSizes(in: state.firstEvent...(state.nextEvent - 1))
            try sizes.addAll(db)
            return (sizes.sizes(limits, now: now(), arrival: arrival.next(after: state.clocks).arrival), sizes.hasMore)
        }
    }

    func result(
        of query: TelemetryQuery, matching filter: RelayEventFilter, now: Date, limit: Int, byteLimit: Int
    ) async throws -> RelayQueryResult {
        let evaluation = BlockEvaluation(query, matching: filter, now: now, limit: limit, byteLimit: byteLimit)
        return try await withTaskCancellationHandler {
            try await database.query { [cache] db in
                let state = try EventState.fetch(db)
                let numbers = state.firstEvent..<state.nextEvent
                return try evaluation.result(db, in: numbers) { try cache.texts(of: $0, in: state.store, db) }
            }
        } onCancel: {
            evaluation.cancel()
        }
    }

    func latestCursor() async throws -> RelayEventCursor {
        let state = try await database.read(EventState.fetch)
        return RelayEventCursor(rawValue: state.store.place(state.nextEvent - 1))
    }

    func delete(matching filter: RelayEventFilter, entry: @escaping @Sendable () -> RelayAuditEntry?) async throws -> Int {
        try await delete(matching: filter, entry: entry) {}
    }

    /// - Parameter whenFound: called between the search for blocks and the deletion from them.
    func delete(
        matching filter: RelayEventFilter, entry: @escaping @Sendable () -> RelayAuditEntry? = { nil },
        whenFound: @Sendable () async throws -> Void
    ) async throws -> Int {
        let begun = try await database.read(EventState.fetch)
        let deletion = BlockDeletion(selection: EventSelection(filter), last: begun.nextEvent - 1)
        var (deleted, next) = (0, begun.firstEvent)
        while next <= deletion.last {
            // Found outside of the write, which would block other writers while it searches.
            let found = try await database.query { [next, cache] db in
                try deletion.find(from: next, db) { try cache.text(of: $0, in: begun.store, db) }
            }
            guard let last = found.last else { break }
            try await whenFound()
            let isFirst = deleted == 0
            let result = try await change { [retention, audit] db, state in
                guard state.store == begun.store else {
                    throw RelayStorageError.unavailable("a backup was restored during the deletion")
                }
                let result = try deletion.delete(found, cutoff: retention.cutoff(state.clocks.arrival), db, &state)
                if isFirst, result.deleted > 0, let entry = entry() { try audit.write([entry], db) }
                return result
            }
            deleted += result.deleted
            // Blocks that were merged since are found again.
            guard result.isComplete else { continue }
            guard found.count == BlockDeletion.step else { break }
            next = max(next, last.first)
        }
        return deleted
    }

    /// Changes stored events in one transaction, with the state and the arrival clock.
    private func change<Value: Sendable>(
        _ body: @escaping @Sendable (any StorageConnection, inout EventState) throws -> Value
    ) async throws -> Value {
        try await database.write(.events) { [arrival] db in
            var state = try EventState.fetch(db)
            state.clocks = arrival.next(after: state.clocks)
            let value = try body(db, &state)
            try state.save(db)
            return value
        }
    }

    /// Refuses later batches, and returns after those that wait.
    func finish() async { await appender.finish() }

    func hints(of clients: Set<String>?) -> AsyncStream<Void> { announcer.hints(of: clients) }

    /// Deletes events beyond the retention limits, and unused rows. A part that fails does not prevent the others.
    /// - Throws: the first failure.
    func expire() async throws {
        var failure: (any Error)?
        for part in [trim, { try await self.applyRules() }, combineRuns, deleteUnused] {
            do { try await part() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func trim() async throws {
        while true {
            let expired = try await change { [retention] db, state in
                let before = (state.events, state.remembered)
                let expired = try retention.trim(db, &state, now: state.clocks.arrival, atMost: BlockRetention.step)
                return before == (state.events, state.remembered) ? nil : expired
            }
            guard let expired else { return }
            progress.add(expired)
        }
    }

    /// - Parameter whenFound: called between the search for blocks and the deletion from them.
    func applyRules(whenFound: @Sendable () async throws -> Void = {}) async throws {
        guard let rules else { return }
        var isComplete = false
        // Blocks that were merged since are found again.
        while !isComplete {
            // Found outside of the write, which would block other writers while it searches.
            let (store, found) = try await database.read { [arrival] db in
                let state = try EventState.fetch(db)
                return (state.store, try rules.excess(db, state, now: arrival.next(after: state.clocks).arrival))
            }
            try await whenFound()
            isComplete = true
            for start in stride(from: 0, to: found.count, by: RuleRetention.step) {
                try Task.checkCancellation()
                let result = try await change { [retention] db, state in
                    // What a restored database exceeds is found again.
                    let excess = state.store == store ? found[start...].prefix(RuleRetention.step) : []
                    var result = try rules.delete(excess, cutoff: retention.cutoff(state.clocks.arrival), db, &state)
                    if state.store != store { result.isComplete = false }
                    return result
                }
                progress.add(result.deleted)
                isComplete = isComplete && result.isComplete
            }
        }
    }

    private func combineRuns() async throws {
        try await database.write(.events) { [runs] db in
            guard let bounds = try db.rows(runs.bounds).first else { return }
            for sql in runs.combine(last: try bounds.int(0), newest: try bounds.int(1)) { try db.enqueue(sql, []) }
        }
    }

    private func deleteUnused() async throws {
        while true {
            // Found outside of the write, which would block other writers while it searches.
            let unused = try await database.read(EventStreams.Unused.init)
            guard !unused.isEmpty else { return }
            try await database.write(.events) { try EventStreams.delete(unused, $0) }
        }
    }

    /// Merges small blocks, and compresses those that are stored as they arrived.
    /// - Parameter delay: how long a block waits for others of its stream, in seconds.
    func merge(after delay: TimeInterval = BlockMerging.delay) async throws {
        while true {
            let (store, groups, hasMore) = try await database.read { [merging, arrival, unreadable] db in
                let state = try EventState.fetch(db)
                let now = arrival.next(after: state.clocks).arrival
                let found = try merging.groups(db, unpackedSince: now - delay, without: unreadable.blocks(of: state.store))
                return (state.store, found.groups, found.hasMore)
            }
            var rest = groups[...]
            while !rest.isEmpty {
                try Task.checkCancellation()
                let first = BlockMerging.first(rest)
                rest.removeFirst(first.count)
                try await merge(Array(first), of: store)
            }
            guard hasMore, !groups.isEmpty else { return }
        }
    }

    /// Merges groups, unless a backup was restored since they were found.
    private func merge(_ groups: [BlockMerging.Group], of store: StoreIdentity) async throws {
        let (contents, unreadable) = try await database.read { db in
            var unreadable: Set<Int64> = []
            let contents = try groups.map { try BlockMerging.content($0, db, unreadable: &unreadable) }
            return (contents, unreadable)
        }
        self.unreadable.add(unreadable, of: store)
        // Compresses outside of the write, which would block other writers.
        let merged = try contents.map { try $0?.encoded(packs: true) }
        try await change { db, state in
            guard state.store == store else { return }
            for case (let group, let block?) in zip(groups, merged) {
                try BlockMerging.replace(group, by: block, db, &state)
            }
        }
    }

    /// The number of events that retention deleted since the store was opened.
    var expired: [RelayEventRetention.Bound: Int] { progress.expired.withLock(\.self) }

    /// Shared with the closure that the appender calls.
    private final class Progress: Sendable {
        let expired = Mutex<[RelayEventRetention.Bound: Int]>([:])

        func add(_ counts: [RelayEventRetention.Bound: Int]) {
            expired.withLock { $0.merge(counts, uniquingKeysWith: +) }
        }
    }
}
