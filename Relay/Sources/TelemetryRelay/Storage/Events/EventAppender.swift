import Synchronization

/// Combines batches that arrive during a transaction into the next one, in an order that is fair to their owners.
final class EventAppender: Sendable {
    private struct Waiting: Sendable {
        let batch: RelayEventBatch
        /// Whose batch it is.
        let owner: RelayCaller.Owner?
        let continuation: CheckedContinuation<RelayAppendResult, any Error>
    }

    private struct Queue {
        var waiting: [Waiting] = []
        var isClosed = false
    }

    /// The batches of a transaction, which are chosen once it has the lock.
    private final class Group: Sendable {
        let waiting: Mutex<[Waiting]>

        init(_ waiting: [Waiting] = []) { self.waiting = Mutex(waiting) }
    }

    /// The maximum number of events in one transaction, and of their bytes, unless a single batch has more. Limits how long
    /// a caller waits for others.
    private static let limit = (events: 10_000, bytes: 8 << 20)

    private let database: any StorageDatabase
    private let writer: EventBlockWriter
    private let written: @Sendable (EventBlockWriter.Outcome, [RelayEventBatch]) -> Void
    private let queue = Mutex(Queue())
    private let work = CoalescedWork()

    /// - Parameter written: called after each transaction that stored events, before its callers resume.
    init(
        database: any StorageDatabase, writer: EventBlockWriter,
        written: @escaping @Sendable (EventBlockWriter.Outcome, [RelayEventBatch]) -> Void
    ) {
        self.database = database
        self.writer = writer
        self.written = written
    }

    func append(_ batch: RelayEventBatch) async throws -> RelayAppendResult {
        let owner = RequestOwners.current.first
        return try await withCheckedThrowingContinuation { continuation in
            let isClosed = queue.withLock { queue in
                if !queue.isClosed { queue.waiting.append(Waiting(batch: batch, owner: owner, continuation: continuation)) }
                return queue.isClosed
            }
            guard !isClosed else { return continuation.resume(throwing: RelayStorageError.closed) }
            work.start { while self.queue.withLock({ !$0.waiting.isEmpty }) { await self.write(Group()) } }
        }
    }

    /// Refuses later batches, and returns after those that wait.
    func finish() async {
        queue.withLock { $0.isClosed = true }
        await work.finish()
        // Those whose work did not begin any more.
        fail(takeAll(), RelayStorageError.closed)
    }

    /// Removes the first waiting batches that share a transaction from the queue.
    private func takeNext() -> [Waiting] {
        queue.withLock { queue in
            guard !queue.waiting.isEmpty else { return [] }
            queue.waiting = RequestOwners.inTurns(queue.waiting, by: \.owner)
            var (events, bytes) = (0, 0)
            let count = queue.waiting.prefix { waiting in
                events += waiting.batch.events.count
                bytes += waiting.batch.byteCount
                return events <= Self.limit.events && bytes <= Self.limit.bytes
            }.count
            defer { queue.waiting.removeFirst(max(1, count)) }
            return Array(queue.waiting.prefix(max(1, count)))
        }
    }

    /// Writes batches together. If the content of one may be the reason that it fails, writes each one separately.
    /// - Returns: nil, or the error if the database cannot be used.
    @discardableResult
    private func write(_ group: Group) async -> (any Error)? {
        do {
            let outcome = try await database.write(.events) { [self] db in
                // Called again, what the cache contains may be rolled back.
                if group.waiting.withLock({ !$0.isEmpty }) { writer.reset() }
                return try writer.write(db, epoch: database.epoch) {
                    group.waiting.withLock { waiting in
                        if waiting.isEmpty { waiting = takeNext() }
                        return waiting.map(\.batch)
                    }
                }
            }
            let waiting = group.waiting.withLock(\.self)
            if !outcome.numbers.isEmpty { written(outcome, waiting.map(\.batch)) }
            for (waiting, result) in zip(waiting, outcome.results) { waiting.continuation.resume(returning: result) }
            return nil
        } catch {
            writer.reset()
            let waiting = group.waiting.withLock(\.self)
            switch error as? RelayStorageError {
            case .refused where waiting.count > 1, .corrupt where waiting.count > 1:
                for (index, single) in waiting.enumerated() {
                    guard let outage = await write(Group([single])) else { continue }
                    fail(Array(waiting[(index + 1)...]), outage)
                    return outage
                }
                return nil
            case .closed, .busy, .unavailable:
                fail(waiting + takeAll(), error)
                return error
            default:
                fail(waiting.isEmpty ? takeAll() : waiting, error)
                return nil
            }
        }
    }

    /// All waiting batches, which would fail one after the other, each after a time limit, without the database.
    private func takeAll() -> [Waiting] {
        queue.withLock { queue in
            defer { queue.waiting = [] }
            return queue.waiting
        }
    }

    private func fail(_ waiting: [Waiting], _ error: any Error) {
        for waiting in waiting { waiting.continuation.resume(throwing: error) }
    }
}
