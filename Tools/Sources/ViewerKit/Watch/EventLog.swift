public import TelemetryModels

/// The newest events, and between them what is missing.
public struct EventLog: Sendable {
    public enum Entry: Sendable {
        case event(TelemetryEvent)
        /// So many numbers of a session did not come before the next event.
        case gap(Int, session: String)
        /// So many events were let go by the store before they could be read.
        case missed(Int)
    }

    static let capacity = 10_000

    private var entries: [Entry] = []
    private var lastSequence: [String: UInt64] = [:]
    /// The number of the first entry that is still here; numbers never change.
    private(set) var first = 0
    public private(set) var total = 0
    public private(set) var missing = 0

    public init() {}

    /// The number behind the last entry.
    var end: Int { first + entries.count }

    subscript(number: Int) -> Entry { entries[number - first] }

    public mutating func add(_ event: TelemetryEvent) {
        if let last = lastSequence[event.sessionId], event.sequence > last + 1 {
            let count = Int(event.sequence - last - 1)
            missing += count
            entries.append(.gap(count, session: event.sessionId))
        }
        lastSequence[event.sessionId] = max(event.sequence, lastSequence[event.sessionId] ?? 0)
        entries.append(.event(event))
        total += 1
        trim()
    }

    public mutating func addMissed(_ count: Int) {
        guard count > 0 else { return }
        missing += count
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
