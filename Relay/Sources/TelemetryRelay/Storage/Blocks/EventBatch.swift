import Foundation

/// A batch prepared for writing: computes everything that does not need the database's lock.
struct EventBatch: Sendable {
    /// A client's session.
    struct Stream: Sendable, Hashable {
        let client: Data
        let session: Data
    }

    /// Events of one client and session, which are stored as one block. Events of others may be between them.
    struct Run: Sendable {
        let stream: Stream
        fileprivate var count = 0
        fileprivate var length = 0
    }

    struct Event: Sendable {
        /// The index of its run.
        let run: Int
        let identifier: EventIdentifier
        let kind: BlockSummary.Kind
        let time: RelayTime
        /// Where its text is among ``text``.
        let text: Range<Int>
    }

    private(set) var runs: [Run] = []
    /// In order of arrival.
    private(set) var events: [Event] = []
    /// The text of all events, one after the other.
    private(set) var text: [UInt8] = []
    /// The clients of the events, whose readers are notified.
    private(set) var clients: Set<String> = []

    init(_ events: [RelayEvent]) {
        var keys = KeyCache()
        /// The run to which an event of a client and session is added.
        var open: [Stream: Int] = [:]
        var last: (stream: Stream, run: Int)?
        for event in events {
            let (client, session) = (event.clientId.map { keys.key(of: $0) } ?? NameKey.none, keys.key(of: event.sessionId))
            if let clientId = event.clientId, !clients.contains(clientId) { clients.insert(clientId) }
            // So that the numbers of a run are within the span of a block.
            if self.events.count.isMultiple(of: Int(BlockCursor.span)) { (open, last) = ([:], nil) }
            let start = text.count
            text += event.json.utf8
            let stream = Stream(client: client, session: session)
            // Usually, it is the last event's.
            let current = last.flatMap { $0.stream == stream ? $0.run : nil } ?? open[stream]
            let run = index(of: current, adding: text.count - start, stream)
            if run != current { open[stream] = run }
            last = (stream, run)
            let kind = BlockSummary.Kind(
                level: event.level.storedNumber, name: keys.key(of: event.name),
                scenario: event.scenario.map { keys.key(of: $0) })
            self.events.append(
                Event(
                    run: run, identifier: EventIdentifier(event.eventId), kind: kind, time: event.time,
                    text: start..<text.count))
        }
    }

    /// The index of a run with an added event: the open one, if it has room for it.
    private mutating func index(of open: Int?, adding length: Int, _ stream: Stream) -> Int {
        var index = runs.count
        if let open, runs[open].length + length <= BlockMerging.length, runs[open].count < BlockMerging.count {
            index = open
        } else {
            runs.append(Run(stream: stream))
        }
        runs[index].count += 1
        runs[index].length += length
        return index
    }

    /// The keys of the strings of one batch, which repeat.
    private struct KeyCache {
        private var keys: [String: Data] = [:]

        mutating func key(of text: String) -> Data {
            if let key = keys[text] { return key }
            let key = NameKey.data(of: text)
            keys[text] = key
            return key
        }
    }
}
