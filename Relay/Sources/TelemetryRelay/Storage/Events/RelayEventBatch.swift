import Foundation

/// Events to be stored: for each, what filters need, and its line below a header.
public struct RelayEventBatch: Sendable {
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
        /// The index of its last event's header.
        fileprivate var header: Int?
    }

    struct Event: Sendable {
        /// The index of its run.
        let run: Int
        /// The index of its header.
        let header: Int
        let identifier: NumberedIdentifier
        let kind: BlockSummary.Kind
        let time: RelayTime
        /// Where its line is in ``lines``.
        let line: Range<Int>
    }

    private(set) var runs: [Run] = []
    /// In order of arrival.
    private(set) var events: [Event] = []
    /// The header lines, each for events that follow each other.
    private(set) var headers: [[UInt8]] = []
    /// The lines of all events, one after the other.
    private(set) var lines: [UInt8] = []
    /// The clients of the events, whose readers are notified.
    private(set) var clients: Set<String> = []
    private(set) var hasEventsWithoutClient = false
    /// The bytes of the lines, and of the headers in each run.
    private(set) var byteCount = 0

    /// That of the next events.
    private var stream = Stream(client: NameKey.none, session: NameKey.none)
    private var client: String?
    /// The run to which an event of a client and session is added.
    private var open: [Stream: Int] = [:]
    /// The index of the run of the last event since the header.
    private var lastRun: Int?

    /// Begins events below a header.
    /// - Parameters:
    ///   - header: the header's line.
    ///   - client: the events' client; nil if they have none.
    ///   - session: the key of their session.
    mutating func begin(header: [UInt8], client: String?, session: Data) {
        headers.append(header)
        self.client = client
        stream = Stream(client: client.map(NameKey.data) ?? NameKey.none, session: session)
        lastRun = nil
    }

    /// Adds an event below the last header.
    mutating func append(
        _ line: UnsafeBufferPointer<UInt8>, identifier: NumberedIdentifier, kind: BlockSummary.Kind, time: RelayTime
    ) {
        // So that the numbers of a run are within the span of a block.
        if events.count.isMultiple(of: Int(BlockCursor.span)) { (open, lastRun) = ([:], nil) }
        let run = run(adding: line.count)
        if run != lastRun {
            (open[stream], lastRun) = (run, run)
            if let client { clients.insert(client) } else { hasEventsWithoutClient = true }
        }
        let start = lines.count
        lines.append(contentsOf: line)
        events.append(
            Event(
                run: run, header: headers.count - 1, identifier: identifier, kind: kind, time: time,
                line: start..<lines.count))
    }

    /// The index of the run of an added event: the open one of its stream, if it has room for it.
    private mutating func run(adding length: Int) -> Int {
        let header = headers.count - 1
        var index = runs.count
        if let known = lastRun ?? open[stream], runs[known].count < EventBlock.maximumCount,
            runs[known].length + length + added(header, to: known) <= EventBlock.maximumLength
        {
            index = known
        } else {
            runs.append(Run(stream: stream))
        }
        let bytes = length + added(header, to: index)
        byteCount += bytes
        runs[index].length += bytes
        runs[index].count += 1
        runs[index].header = header
        return index
    }

    /// The bytes that a header adds to a run.
    private func added(_ header: Int, to run: Int) -> Int { runs[run].header == header ? 0 : headers[header].count }
}
