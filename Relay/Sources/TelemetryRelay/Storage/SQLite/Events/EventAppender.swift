import GRDB
import Synchronization

/// Combines batches that arrive during a transaction into the next one, in an order that is fair to their owners.
///
/// The first waiting batch enqueues a transaction in the database's write queue. When it begins, that transaction takes all
/// batches that have arrived by then.
final class EventAppender: Sendable {
    private struct Waiting {
        let batch: EventBatch
        /// Whose batch it is.
        let owner: RelayCaller.Owner?
        let continuation: CheckedContinuation<RelayAppendResult, any Error>
    }

    private struct Queue {
        var waiting: [Waiting] = []
        /// Whether a transaction is enqueued that has not begun yet.
        var isScheduled = false
    }

    /// The maximum number of events in one transaction, unless a single batch has more. Limits how long a caller waits for
    /// others.
    private static let eventsATransaction = 10_000

    private let database: RelayDatabase
    private let writer: EventBlockWriter
    private let written: @Sendable (EventBlockWriter.Outcome, [EventBatch]) -> Void
    private let queue = Mutex(Queue())

    /// - Parameter written: called after each transaction that stored events, before its callers resume.
    init(
        database: RelayDatabase, writer: EventBlockWriter,
        written: @escaping @Sendable (EventBlockWriter.Outcome, [EventBatch]) -> Void
    ) {
        self.database = database
        self.writer = writer
        self.written = written
    }

    func append(_ batch: EventBatch) async throws -> RelayAppendResult {
        let owner = RequestOwners.current.first
        return try await withCheckedThrowingContinuation { continuation in
            let isFirst = queue.withLock { queue in
                queue.waiting.append(Waiting(batch: batch, owner: owner, continuation: continuation))
                defer { queue.isScheduled = true }
                return !queue.isScheduled
            }
            if isFirst { schedule() }
        }
    }

    private func schedule() {
        database.enqueue { db in
            let (next, more) = self.queue.withLock { queue in
                queue.waiting = RequestOwners.inTurns(queue.waiting, by: \.owner)
                var events = 0
                let count = queue.waiting.prefix { waiting in
                    events += waiting.batch.count
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

    /// Writes batches together. If that fails, writes each one separately, so that an invalid batch does not affect the others.
    private func write(_ waiting: [Waiting], _ db: Database?) {
        do {
            guard let db else { throw RelayStorageError.closed }
            let batches = waiting.map(\.batch)
            let outcome = try writer.write(batches, StorageConnection(database: db))
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
