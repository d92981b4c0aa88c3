import GRDB
import Synchronization

/// Lets batches that arrive while a transaction runs share the next one.
///
/// The database's queue of writes does the waiting: the first batch that finds none of its kind there puts one transaction into it,
/// which takes what has come until it begins.
final class EventAppender: Sendable {
    private struct Waiting {
        let batch: EventBatch
        let continuation: CheckedContinuation<RelayAppendResult, any Error>
    }

    private struct Queue {
        var waiting: [Waiting] = []
        /// Whether a transaction is in the database's queue that has not begun yet.
        var isScheduled = false
    }

    /// So many events share one transaction, unless a single batch has more: no caller waits for long because of others.
    private static let eventsATransaction = 10_000

    private let database: RelayDatabase
    private let writer: EventWriter
    private let written: @Sendable (EventWriter.Outcome, [EventBatch]) -> Void
    private let queue = Mutex(Queue())

    /// - Parameter written: called after each transaction that stored something, before its callers go on.
    init(
        database: RelayDatabase, writer: EventWriter,
        written: @escaping @Sendable (EventWriter.Outcome, [EventBatch]) -> Void
    ) {
        self.database = database
        self.writer = writer
        self.written = written
    }

    func append(_ batch: EventBatch) async throws -> RelayAppendResult {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = queue.withLock { queue in
                queue.waiting.append(Waiting(batch: batch, continuation: continuation))
                defer { queue.isScheduled = true }
                return !queue.isScheduled
            }
            if isFirst { schedule() }
        }
    }

    private func schedule() {
        database.enqueue { db in
            let (next, more) = self.queue.withLock { queue in
                var events = 0
                let count = queue.waiting.prefix { waiting in
                    events += waiting.batch.rows.count
                    return events <= Self.eventsATransaction
                }.count
                let next = Array(queue.waiting.prefix(max(1, count)))
                queue.waiting.removeFirst(next.count)
                queue.isScheduled = !queue.waiting.isEmpty
                return (next, queue.isScheduled)
            }
            if more { self.schedule() }
            self.write(next, db)
        }
    }

    /// Writes batches together, and where that fails each by itself, so that none fails for another's sake.
    private func write(_ waiting: [Waiting], _ db: Database?) {
        do {
            guard let db else { throw RelayStorageError.closed }
            let batches = waiting.map(\.batch)
            let outcome = try writer.write(batches, db)
            if !outcome.numbers.isEmpty { written(outcome, batches) }
            for (waiting, result) in zip(waiting, outcome.results) { waiting.continuation.resume(returning: result) }
        } catch {
            guard waiting.count > 1, db != nil else {
                for waiting in waiting { waiting.continuation.resume(throwing: error) }
                return
            }
            for waiting in waiting { write([waiting], db) }
        }
    }
}
