#if PostgreSQL
import PostgreSQLClient
import Synchronization

/// Stores events in tables of a server that several relays share.
final class PostgreSQLEventStore: RelayEventStorage {
    private struct Progress {
        var expired: [RelayEventRetention.Bound: Int] = [:]
        /// The earliest arrival of an event, as far as it is known.
        var oldest: Int64?
        /// The sums of all relays when they were last read, and what this relay stored since: adding up the rows for each batch would
        /// take longer than storing it.
        var totals: PostgreSQLEventTotals
    }

    private let database: PostgreSQLDatabase
    private let arrival: PostgreSQLArrival
    private let partitions: PostgreSQLEventPartitions
    private let trimmer: PostgreSQLEventTrimmer
    private let writer: PostgreSQLEventWriter
    private let appender: PostgreSQLEventAppender
    let announcer: PostgreSQLEventAnnouncer
    private let progress: ProgressBox

    /// - Parameters:
    ///   - newest: the number of the newest event.
    ///   - totals: the sums of all relays.
    ///   - notify: called after each transaction that stored events, with the last number and the events' clients.
    init(
        _ database: PostgreSQLDatabase, _ configuration: RelayStorageConfiguration, arrival: PostgreSQLArrival, newest: Int64,
        totals: PostgreSQLEventTotals, notify: @escaping @Sendable (Int64, Set<String>) -> Void
    ) {
        self.database = database
        self.arrival = arrival
        let partitions = PostgreSQLEventPartitions(database.pool, age: configuration.events.age)
        let trimmer = PostgreSQLEventTrimmer(
            retention: configuration.events, runs: ExpiredRuns(kept: configuration.expiredRuns), arrival: arrival)
        let announcer = PostgreSQLEventAnnouncer(database, newest: newest)
        let progress = ProgressBox(totals)
        (self.partitions, self.trimmer, self.announcer, self.progress) = (partitions, trimmer, announcer, progress)
        writer = PostgreSQLEventWriter(database: database, partitions: partitions, arrival: arrival)
        appender = PostgreSQLEventAppender(writer: writer) { outcome, batches in
            guard let last = outcome.last else { return }
            let clients: Set<String> = batches.reduce(into: []) { $0.formUnion($1.clients) }
            announcer.announce(last, clients)
            notify(last, clients)
            let (totals, oldest) = progress.state.withLock { progress in
                progress.totals += outcome.added
                return (progress.totals, progress.oldest)
            }
            guard trimmer.isNeeded(totals, oldest: oldest) else { return }
            // The events are stored. What cannot be deleted now is deleted later.
            let limit = outcome.results.reduce(PostgreSQLEventTrimmer.step) { $0 + $1.stored }
            _ = try? await Self.trim(database, trimmer, progress, atMost: limit)
        }
    }

    /// Creates the partitions for the next time.
    func prepare() async throws {
        try await partitions.prepareAhead(of: ArrivalTime.milliseconds(arrival.now))
    }

    func append(_ events: [RelayEvent]) async throws -> RelayAppendResult {
        guard !events.isEmpty else { return RelayAppendResult(stored: 0, duplicates: 0) }
        return try await appender.append(PostgreSQLEventBatch(events))
    }

    func events(
        matching filter: RelayEventFilter, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
    ) async throws -> RelayEventPage {
        let reader = PostgreSQLEventReader(store: database.store, filter: filter)
        return try await database.query { try await reader.page($0, after: cursor, limit: limit, order: order) }
    }

    func countEvents(matching filter: RelayEventFilter) async throws -> Int {
        let selection = PostgreSQLEventSelection(filter)
        return try await database.query { connection in
            if selection.isAll { return Int(try await PostgreSQLEventTotals.fetch(connection).events) }
            let ranges = try await PostgreSQLEventSpans.ranges(of: filter, after: -1, before: .max, .ascending, connection)
            var statement = PostgreSQLEventSelection.Statement()
            let sql = selection.count(in: ranges, &statement)
            return Int(try await connection.execute(sql, statement.values).row.int(0))
        }
    }

    func latestEventCursor() async throws -> RelayEventCursor {
        try await database.read { [store = database.store] connection in
            let next = try await store.eventGuard(connection)
            let newest = try await connection.execute(
                "SELECT \(PostgreSQLEventReader.newest(before: "$1"))", [.int64(next)]
            ).row.int(0)
            return RelayEventCursor(rawValue: store.place(newest))
        }
    }

    func deleteEvents(matching filter: RelayEventFilter) async throws -> Int {
        let selection = PostgreSQLEventSelection(filter)
        let newest = try await newest()
        var (deleted, after) = (0, Int64(-1))
        while after < newest {
            var statement = PostgreSQLEventSelection.Statement()
            let sql = selection.first(
                "number", in: [(after + 1)...newest], .ascending, limit: PostgreSQLEventTrimmer.step, &statement)
            // Found outside of the transaction, over a connection for long reads.
            let numbers = try await database.query { [values = statement.values] connection in
                try await connection.execute(sql, values).rows.map { try $0.int(0) }
            }
            guard let last = numbers.last else { break }
            deleted += try await database.write { [trimmer] in try await trimmer.delete(numbers, isExpiry: false, $0) }
            guard numbers.count == PostgreSQLEventTrimmer.step else { break }
            after = last
        }
        return deleted
    }

    /// The number of the newest event.
    func newest() async throws -> Int64 {
        try await database.read { try await $0.execute("SELECT COALESCE(MAX(number), 0) FROM event").row.int(0) }
    }

    func eventHints(of clients: Set<String>?) -> AsyncStream<Void> { announcer.hints(of: clients) }

    /// Deletes events beyond the retention limits, and unused rows. A part that fails does not prevent the others.
    /// - Throws: the first failure.
    func expire() async throws {
        var failure: (any Error)?
        func attempt(_ part: () async throws -> Void) async {
            do { try await part() } catch { failure = failure ?? error }
        }
        // First, because a batch without a partition has to wait for one.
        await attempt { try await prepare() }
        await attempt { try await database.write { [arrival] in try await arrival.save($0) } }
        await attempt {
            while let dropped = try await database.write({ [trimmer] in try await trimmer.dropPartition($0) }) {
                partitions.forget()
                progress.add([.age: dropped])
            }
        }
        await attempt { while try await Self.trim(database, trimmer, progress, atMost: PostgreSQLEventTrimmer.step) {} }
        await attempt {
            while try await database.write({ [trimmer] in try await trimmer.tidy(atMost: PostgreSQLEventTrimmer.step, $0) }) {}
        }
        if let failure { throw failure }
    }

    /// - Returns: whether events were deleted.
    private static func trim(
        _ database: PostgreSQLDatabase, _ trimmer: PostgreSQLEventTrimmer, _ progress: ProgressBox, atMost limit: Int
    ) async throws -> Bool {
        guard let trimmed = try await database.write({ try await trimmer.trim(atMost: limit, $0) }) else { return false }
        progress.state.withLock { ($0.oldest, $0.totals) = (trimmed.oldest, trimmed.left) }
        progress.add(trimmed.counts)
        return !trimmed.counts.isEmpty
    }

    /// The number of events that retention deleted since the store was opened.
    var expired: [RelayEventRetention.Bound: Int] { progress.state.withLock(\.expired) }

    func close() async { await announcer.close() }

    /// Sets the sums of all relays.
    func update(_ totals: PostgreSQLEventTotals) { progress.state.withLock { $0.totals = totals } }

    /// Shared with the closure that the appender calls.
    private final class ProgressBox: Sendable {
        let state: Mutex<Progress>

        init(_ totals: PostgreSQLEventTotals) { state = Mutex(Progress(totals: totals)) }

        func add(_ counts: [RelayEventRetention.Bound: Int]) {
            state.withLock { $0.expired.merge(counts.filter { $0.value > 0 }, uniquingKeysWith: +) }
        }
    }
}
#endif
