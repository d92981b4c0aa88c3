#if PostgreSQL
import PostgreSQLClient
import Synchronization

/// Combines batches that arrive while transactions run into the next one, in an order that is fair to their owners.
///
/// A caller that finds no transaction running writes its batch and all waiting ones. When it has, the first caller that waits then
/// does the same.
final class PostgreSQLEventAppender: Sendable {
    private enum Turn: Sendable {
        case result(RelayAppendResult)
        case write([Waiting])
    }

    private struct Waiting: Sendable {
        let batch: PostgreSQLEventBatch
        /// Whose batch it is.
        let owner: RelayCaller.Owner?
        let continuation: CheckedContinuation<Turn, any Error>
    }

    private struct Queue {
        var waiting: [Waiting] = []
        var running = 0
    }

    /// The maximum number of events in one transaction, unless a single batch has more. Limits how long a caller waits for
    /// others.
    private static let eventsATransaction = 10_000
    /// The maximum size of the events in one transaction, in bytes, unless a single batch is larger.
    private static let bytesATransaction = 8 << 20
    /// While one transaction waits for the disk, another one is prepared.
    private static let concurrentTransactions = 2

    private let writer: PostgreSQLEventWriter
    private let written: @Sendable (PostgreSQLEventWriter.Outcome, [PostgreSQLEventBatch]) async -> Void
    private let queue = Mutex(Queue())

    /// - Parameter written: called after each transaction, before its callers resume.
    init(
        writer: PostgreSQLEventWriter,
        written: @escaping @Sendable (PostgreSQLEventWriter.Outcome, [PostgreSQLEventBatch]) async -> Void
    ) {
        self.writer = writer
        self.written = written
    }

    func append(_ batch: PostgreSQLEventBatch) async throws -> RelayAppendResult {
        let owner = RequestOwners.current.first
        let turn: Turn = try await withCheckedThrowingContinuation { continuation in
            let group = queue.withLock { queue in
                queue.waiting.append(Waiting(batch: batch, owner: owner, continuation: continuation))
                guard queue.running < Self.concurrentTransactions else { return [Waiting]() }
                queue.running += 1
                return Self.takeGroup(&queue)
            }
            group.first?.continuation.resume(returning: .write(group))
        }
        guard case .write(let group) = turn else {
            guard case .result(let result) = turn else { throw RelayStorageError.closed }
            return result
        }
        // A write that has begun completes, even if the caller is cancelled.
        return try await Task { try await self.write(group) }.value
    }

    /// The first waiting batches that share a transaction.
    private static func takeGroup(_ queue: inout Queue) -> [Waiting] {
        queue.waiting = RequestOwners.inTurns(queue.waiting, by: \.owner)
        var (events, bytes) = (0, 0)
        let count = queue.waiting.prefix { waiting in
            events += waiting.batch.rows.count
            bytes += waiting.batch.size
            return events <= eventsATransaction && bytes <= bytesATransaction
        }.count
        let group = Array(queue.waiting.prefix(max(1, count)))
        queue.waiting.removeFirst(group.count)
        return group
    }

    /// Writes a group, resumes its other callers, and lets the next group begin.
    /// - Returns: the result of the group's first batch.
    private func write(_ group: [Waiting]) async throws -> RelayAppendResult {
        let (results, outage) = await results(of: group.map(\.batch))
        if let outage { failWaiting(outage) }
        let next = queue.withLock { queue in
            guard queue.waiting.isEmpty else { return Self.takeGroup(&queue) }
            queue.running -= 1
            return []
        }
        next.first?.continuation.resume(returning: .write(next))
        for (waiting, result) in zip(group, results).dropFirst() {
            waiting.continuation.resume(with: result.map(Turn.result))
        }
        guard let first = results.first else { throw RelayStorageError.closed }
        return try first.get()
    }

    /// Without the server, the waiting batches would fail one after the other, each after a time limit.
    private func failWaiting(_ error: any Error) {
        let waiting = queue.withLock { queue in
            defer { queue.waiting = [] }
            return queue.waiting
        }
        for waiting in waiting { waiting.continuation.resume(throwing: error) }
    }

    /// Writes batches together. If the server refuses them, writes each one separately, so that an invalid batch does not affect
    /// the others.
    /// - Returns: the results, and the error if the server cannot be used.
    private func results(
        of batches: [PostgreSQLEventBatch]
    ) async -> (results: [Result<RelayAppendResult, any Error>], outage: (any Error)?) {
        do {
            let outcome = try await writer.write(batches)
            await written(outcome, batches)
            return (outcome.results.map { .success($0) }, nil)
        } catch {
            guard batches.count > 1, Self.concernsValues(error) else {
                let failure = (error as? PostgreSQLError).map { RelayStorageError($0) as any Error } ?? error
                return (batches.map { _ in .failure(failure) }, Self.isOutage(error) ? failure : nil)
            }
            var results: [Result<RelayAppendResult, any Error>] = []
            for batch in batches { results += await self.results(of: [batch]).results }
            return (results, nil)
        }
    }

    private static func isOutage(_ error: any Error) -> Bool {
        switch (error as? PostgreSQLError)?.code {
        case .connection, .timeout, .exhausted, .closed: true
        default: false
        }
    }

    /// Whether the server refused the values: data exceptions, constraints and limits of the server.
    private static func concernsValues(_ error: any Error) -> Bool {
        guard let state = (error as? PostgreSQLError)?.state else { return false }
        return ["22", "23", "54"].contains(state.prefix(2))
    }
}
#endif
