import Foundation
import GRDB
import Synchronization

/// Stores events in SQLite tables.
final class SQLiteEventStore: RelayEventStorage {
    private let database: RelayDatabase
    private let trimmer: EventTrimmer
    private let runs: ExpiredRuns
    private let arrival: ArrivalTime
    private let appender: EventAppender
    let announcer: ChangeAnnouncer
    private let progress = Progress()

    /// - Parameter next: the number of the next event.
    init(database: RelayDatabase, _ configuration: RelayStorageConfiguration, arrival: ArrivalTime, next: Int64) {
        self.database = database
        self.arrival = arrival
        trimmer = EventTrimmer(retention: configuration.events)
        runs = ExpiredRuns(kept: configuration.expiredRuns)
        let announcer = ChangeAnnouncer(next: next)
        self.announcer = announcer
        appender = EventAppender(
            database: database, writer: SQLiteEventWriter(trimmer: trimmer, arrival: arrival)
        ) { [progress] outcome, batches in
            progress.add(outcome.expired)
            announcer.announce(outcome.numbers, of: batches.reduce(into: []) { $0.formUnion($1.clients) })
        }
    }

    func append(_ events: [RelayEvent]) async throws -> RelayAppendResult {
        guard !events.isEmpty else { return RelayAppendResult(stored: 0, duplicates: 0) }
        return try await appender.append(EventBatch(events))
    }

    func events(
        matching filter: RelayEventFilter, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
    ) async throws -> RelayEventPage {
        try await database.query { try SQLiteEventReader(filter: filter).page($0, after: cursor, limit: limit, order: order) }
    }

    func countEvents(matching filter: RelayEventFilter) async throws -> Int {
        try await database.query { try SQLiteEventFilter(filter).count($0) }
    }

    func latestEventCursor() async throws -> RelayEventCursor {
        try await database.read { db in
            let state = try RelayState.fetch(db)
            return RelayEventCursor(rawValue: state.place(state.nextEvent - 1))
        }
    }

    func deleteEvents(matching filter: RelayEventFilter) async throws -> Int {
        let selection = SQLiteEventFilter(filter)
        let last = try await database.read { try RelayState.fetch($0).nextEvent - 1 }
        var (deleted, next) = (0, Int64(1))
        while next <= last {
            // Found outside of the write, which would block other writers while it searches.
            let numbers = try await database.query { [next] db in
                try selection.numbers(db, in: next...last, .ascending, limit: EventTrimmer.step)
            }
            guard let end = numbers.last else { break }
            deleted += try await database.write { [self] db in try delete(numbers, db) }
            guard numbers.count == EventTrimmer.step else { break }
            next = end + 1
        }
        return deleted
    }

    /// - Returns: the number of those events that existed.
    private func delete(_ numbers: [Int64], _ db: Database) throws -> Int {
        var state = try RelayState.fetch(db)
        let now = arrival.now(after: state)
        let deletion = EventDeletion(selection: .numbers(numbers), rememberedFrom: trimmer.cutoff(now))
        let count = try deletion.run(db, &state)
        try state.saveEvents(db, wall: arrival.wall)
        return count
    }

    func eventHints(of clients: Set<String>?) -> AsyncStream<Void> { announcer.hints(of: clients) }

    /// Deletes events beyond the retention limits, and unused rows.
    func expire() async throws {
        while true {
            let expired = try await database.write { [self] db in
                var state = try RelayState.fetch(db)
                let before = (state.events, state.remembered)
                let now = arrival.now(after: state)
                state.arrival = now
                let expired = try trimmer.trim(db, &state, now: now, atMost: EventTrimmer.step)
                try state.saveEvents(db, wall: arrival.wall)
                return before == (state.events, state.remembered) ? nil : expired
            }
            guard let expired else { break }
            progress.add(expired)
        }
        try await database.write { [runs] db in
            guard let bounds = try Row.fetchOne(db, sql: runs.bounds) else { return }
            let last = try bounds.decode(Int64.self, atIndex: 0)
            for sql in runs.combine(last: last, newest: try bounds.decode(Int64.self, atIndex: 1)) { try db.execute(sql: sql) }
        }
        while try await database.write(EventStreams.deleteUnused) {}
        try await database.write(EventSpan.deleteUnused)
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
