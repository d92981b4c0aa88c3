import Foundation
import Synchronization

/// Writes batches as blocks, and applies the retention limits.
final class EventBlockWriter: Sendable {
    /// The result of one transaction.
    struct Outcome {
        var results: [RelayAppendResult] = []
        /// The numbers of the stored events.
        var numbers: Range<Int64> = 0..<0
        var expired: [RelayEventRetention.Bound: Int] = [:]
    }

    private let retention: BlockRetention
    private let arrival: ArrivalTime
    private let streams = Mutex(EventStreams())

    init(retention: BlockRetention, arrival: ArrivalTime) {
        self.retention = retention
        self.arrival = arrival
    }

    /// Forgets what a transaction created, because it did not commit.
    func reset() { streams.withLock { $0.removeAll() } }

    /// Writes all batches, as a part of a transaction.
    /// - Parameters:
    ///   - epoch: the database's during the transaction.
    ///   - batches: called once no other transaction can write events.
    func write(_ db: any StorageConnection, epoch: Int, _ batches: () -> [RelayEventBatch]) throws -> Outcome {
        try streams.withLock { streams in
            do {
                streams.validate(epoch: epoch)
                return try write(db, &streams, batches)
            } catch {
                streams.removeAll()
                throw error
            }
        }
    }

    private func write(
        _ db: any StorageConnection, _ streams: inout EventStreams, _ batches: () -> [RelayEventBatch]
    ) throws -> Outcome {
        var state = try EventState.fetch(db)
        streams.validate(generation: state.streamGeneration)
        let batches = batches()
        let first = state.nextEvent
        state.clocks = arrival.next(after: state.clocks)
        let now = state.clocks.arrival
        let received = ArrivalTime.milliseconds(now)
        let clients = try streams.clients(batches.map { $0.runs.map(\.stream.client) }, db)
        var identities = try EventIdentities(db, received: received, for: zip(batches, clients))
        var outcome = Outcome()
        var blocks: [(content: EventBlockContent, client: Int64, session: Data)] = []
        for (batch, clients) in zip(batches, clients) {
            let start = state.nextEvent
            let contents = contents(of: batch, clients, received, &identities, &state)
            for (index, content) in contents.enumerated() where !content.entries.isEmpty {
                blocks.append((content, clients[index], batch.runs[index].stream.session))
            }
            let stored = Int(state.nextEvent - start)
            outcome.results.append(RelayAppendResult(stored: stored, duplicates: batch.events.count - stored))
        }
        let numbers = try streams.streams(blocks.map { ($0.client, $0.session) }, db)
        for (block, stream) in zip(blocks, numbers) {
            state.eventBytes += try block.content.encoded(packs: false).save(db, id: state.takeBlock(), of: stream)
        }
        outcome.numbers = first..<state.nextEvent
        // A batch of duplicates writes nothing.
        guard !outcome.numbers.isEmpty else { return outcome }
        state.remembered -= identities.revived
        state.events += Int64(outcome.numbers.count)
        outcome.expired = try retention.trim(db, &state, now: now, atMost: outcome.numbers.count + BlockRetention.step)
        try state.save(db)
        return outcome
    }

    /// The events of each run that are not duplicates.
    private func contents(
        of batch: RelayEventBatch, _ clients: [Int64], _ received: Int64, _ identities: inout EventIdentities,
        _ state: inout EventState
    ) -> [EventBlockContent] {
        var contents = batch.runs.map { _ in EventBlockContent(received: received...received) }
        for event in batch.events {
            guard let identity = identities.add(event.identifier, client: clients[event.run]) else { continue }
            contents[event.run].add(
                BlockEntry(
                    number: state.nextEvent, cell: 0, time: event.time, identity: identity, length: event.line.count),
                event.kind, header: batch.headers[event.header], batch.lines[event.line])
            state.nextEvent += 1
        }
        return contents
    }
}
