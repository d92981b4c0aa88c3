public import TelemetryModels

/// The newest events, with the gaps between them.
public struct EventLog: Sendable {
    public enum Entry: Sendable {
        case event(TelemetryEvent)
        /// This many sequence numbers of a session are missing before the next event.
        case gap(Int, session: String, clientId: String?)
        /// This many events were removed from the store before they were read.
        case skipped(Int)
    }

    private struct Session {
        let first: UInt64
        var last: UInt64
    }

    static let capacity = 10_000

    private var entries: [Entry] = []
    private var sessions: [String: Session] = [:]
    /// The number of the oldest entry that is kept; numbers never change.
    private(set) var first = 0
    public private(set) var total = 0
    /// The number of missing sequence numbers, and of events removed from the store before they were read.
    public private(set) var missing = 0
    /// The number of drops that loggers reported.
    public private(set) var dropped = 0

    public init() {}

    /// The number after that of the last entry.
    var end: Int { first + entries.count }

    subscript(number: Int) -> Entry { entries[number - first] }

    public mutating func add(_ event: TelemetryEvent) {
        if let session = sessions[event.sessionId] {
            if event.sequence > session.last, event.sequence - session.last > 1 {
                let count = Int(clamping: event.sequence - session.last - 1)
                missing = missing.addingClamped(count)
                entries.append(.gap(count, session: event.sessionId, clientId: event.clientId))
            } else if event.sequence < session.last, event.sequence > session.first, missing > 0 {
                // The event was not missing, only late.
                missing -= 1
            }
            sessions[event.sessionId]?.last = max(event.sequence, session.last)
        } else {
            sessions[event.sessionId] = Session(first: event.sequence, last: event.sequence)
        }
        entries.append(.event(event))
        total += 1
        dropped = dropped.addingClamped(Int(clamping: event.reportedDrops))
        trim()
    }

    public mutating func addSkipped(_ count: Int) {
        guard count > 0 else { return }
        missing = missing.addingClamped(count)
        entries.append(.skipped(count))
        trim()
    }

    private mutating func trim() {
        // Removes a tenth at a time, because removing from the front moves all other entries.
        guard entries.count > Self.capacity + Self.capacity / 10 else { return }
        let surplus = entries.count - Self.capacity
        entries.removeFirst(surplus)
        first += surplus
    }
}
