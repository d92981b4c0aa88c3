public import TelemetryModels

/// The newest events, and between them what is missing.
public struct EventLog: Sendable {
    public enum Entry: Sendable {
        case event(TelemetryEvent)
        /// So many numbers of a session did not come before the next event.
        case gap(Int, session: String, clientId: String?)
        /// So many events were let go by the store before they could be read.
        case missed(Int)
    }

    private struct Session {
        let first: UInt64
        var last: UInt64
    }

    static let capacity = 10_000

    private var entries: [Entry] = []
    private var sessions: [String: Session] = [:]
    /// The number of the first entry that is still here; numbers never change.
    private(set) var first = 0
    public private(set) var total = 0
    /// Numbers of sessions that did not come, and events that the store let go of.
    public private(set) var missing = 0
    /// Events that loggers report to have dropped.
    public private(set) var dropped = 0

    public init() {}

    /// The number behind the last entry.
    var end: Int { first + entries.count }

    subscript(number: Int) -> Entry { entries[number - first] }

    public mutating func add(_ event: TelemetryEvent) {
        if let session = sessions[event.sessionId] {
            if event.sequence > session.last, event.sequence - session.last > 1 {
                let count = Int(clamping: event.sequence - session.last - 1)
                missing = missing.addingClamped(count)
                entries.append(.gap(count, session: event.sessionId, clientId: event.clientId))
            } else if event.sequence < session.last, event.sequence > session.first, missing > 0 {
                // It was only late.
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

    public mutating func addMissed(_ count: Int) {
        guard count > 0 else { return }
        missing = missing.addingClamped(count)
        entries.append(.missed(count))
        trim()
    }

    private mutating func trim() {
        // A tenth at a time: removing from the front moves all that follows.
        guard entries.count > Self.capacity + Self.capacity / 10 else { return }
        let surplus = entries.count - Self.capacity
        entries.removeFirst(surplus)
        first += surplus
    }
}
