import Foundation
import GRDB
import Synchronization

/// Stores events in SQLite tables.
final class SQLiteEventStore: RelayEventStorage {
    private struct Progress {
        /// The number after the last announced event.
        var announced: Int64 = 0
        var expired: [RelayEventRetention.Bound: Int] = [:]
    }

    private let database: RelayDatabase
    private let trimmer: EventTrimmer
    private let arrival: ArrivalTime
    private let appender: EventAppender
    private let hints = HintBroadcaster()
    private let progress: ProgressBox

    /// - Parameter next: the number of the next event.
    init(database: RelayDatabase, retention: RelayEventRetention, arrival: ArrivalTime, next: Int64) {
        self.database = database
        self.arrival = arrival
        trimmer = EventTrimmer(retention: retention)
        let (progress, hints) = (ProgressBox(Progress(announced: next)), hints)
        self.progress = progress
        appender = EventAppender(
            database: database, writer: EventWriter(trimmer: trimmer, arrival: arrival)
        ) { outcome, batches in
            let isNext = progress.state.withLock { progress in
                progress.expired.merge(outcome.expired, uniquingKeysWith: +)
                defer { progress.announced = max(progress.announced, outcome.numbers.upperBound) }
                return progress.announced >= outcome.numbers.lowerBound
            }
            // Skipped numbers are another relay's events, of any client.
            hints.hint(isNext ? batches.reduce(into: []) { $0.formUnion($1.clients) } : nil)
        }
    }

    func append(_ events: [RelayEvent]) async throws -> RelayAppendResult {
        guard !events.isEmpty else { return RelayAppendResult(stored: 0, duplicates: 0) }
        return try await appender.append(EventBatch(events))
    }

    func events(
        matching filter: RelayEventFilter, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
    ) async throws -> RelayEventPage {
        try await database.read { try EventReader(filter: filter).page($0, after: cursor, limit: limit, order: order) }
    }

    func countEvents(matching filter: RelayEventFilter) async throws -> Int {
        try await database.read { try EventSelection(filter).count($0) }
    }

    func latestEventCursor() async throws -> RelayEventCursor {
        try await database.read { db in
            let state = try RelayState.fetch(db)
            return RelayEventCursor(rawValue: state.place(state.nextEvent - 1))
        }
    }

    func deleteEvents(matching filter: RelayEventFilter) async throws -> Int {
        let selection = EventSelection(filter)
        let last = try await database.read { try RelayState.fetch($0).nextEvent - 1 }
        var (deleted, next) = (0, Int64(1))
        while next <= last {
            let range = next...last
            let (count, end) = try await database.write { [self] db in try deleteStep(db, selection, in: range) }
            deleted += count
            guard let end else { break }
            next = end + 1
        }
        return deleted
    }

    /// - Returns: the number of deleted events and the last one's number, or nil if none are left.
    private func deleteStep(
        _ db: Database, _ selection: EventSelection, in range: ClosedRange<Int64>
    ) throws -> (count: Int, end: Int64?) {
        let numbers = try selection.numbers(db, in: range, .ascending, limit: EventTrimmer.step)
        guard let end = numbers.last else { return (0, nil) }
        var state = try RelayState.fetch(db)
        let now = arrival.now(after: state)
        let deletion = EventDeletion(selection: .numbers(numbers), rememberedFrom: trimmer.cutoff(now))
        let count = try deletion.run(db, &state)
        try state.saveEvents(db, wall: arrival.wall)
        return (count, numbers.count < EventTrimmer.step ? nil : end)
    }

    func eventHints(of clients: Set<String>?) -> AsyncStream<Void> { hints.stream(of: clients) }

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
            progress.state.withLock { $0.expired.merge(expired, uniquingKeysWith: +) }
        }
        while try await database.write(EventStreams.deleteUnused) {}
        try await database.write(EventSpan.deleteUnused)
    }

    /// The number of events that retention deleted since the store was opened.
    var expired: [RelayEventRetention.Bound: Int] { progress.state.withLock(\.expired) }

    /// Announces events that another relay stored.
    /// - Parameter next: the number of the next event.
    func announce(before next: Int64) {
        let isNew = progress.state.withLock { progress in
            defer { progress.announced = max(progress.announced, next) }
            return next > progress.announced
        }
        if isNew { hints.hint(nil) }
    }

    func close() { hints.finish() }

    /// Shared with the closure that the appender calls.
    private final class ProgressBox: Sendable {
        let state: Mutex<Progress>

        init(_ progress: Progress) { state = Mutex(progress) }
    }
}
