public import TelemetryModels

/// The newest events, with the gaps between them.
public struct EventLog: Sendable {
    public enum Entry: Sendable {
        case event(TelemetryEvent)
        /// This many sequence numbers of a session are missing before the next event.
        case gap(Int, session: String, clientId: String?)
        /// This many events were removed from the store before they were read.
        case skipped(Int)

        var isEvent: Bool { if case .event = self { true } else { false } }
    }

    private struct Session {
        let first: UInt64
        var last: UInt64
    }

    static let capacity = 10_000

    private let capacity: Int
    /// Whether missing sequence numbers are gaps; not if the log has only some events of a session.
    let findsGaps: Bool
    private var entries: [Entry] = []
    /// The ordinals of the entries, in order; those of a gap and of removed events are those of the next event.
    private var ordinals: [Int] = []
    private var sessions: [String: Session] = [:]
    /// The number of the oldest entry that is kept; numbers never change.
    private(set) var first = 0
    public private(set) var total = 0
    /// The number of missing sequence numbers.
    public private(set) var missing = 0

    /// Keeps the newest entries up to a tenth more than the capacity; nil keeps all.
    init(capacity: Int? = Self.capacity, findsGaps: Bool = true) {
        self.capacity = capacity ?? .max / 2
        self.findsGaps = findsGaps
    }

    /// The number after that of the last entry.
    var end: Int { first + entries.count }

    /// The ordinal of the oldest entry that is kept; that of the next event if there are no entries.
    var firstOrdinal: Int { ordinals.first ?? total }

    subscript(number: Int) -> Entry { entries[number - first] }

    /// The position of an entry's event in the order in which the view received the events. Events that were stored before the
    /// view's start have negative ordinals.
    func ordinal(of number: Int) -> Int { ordinals[number - first] }

    /// The number of the event with this ordinal or, without such an event, of the next one; at most ``end``.
    func number(ofOrdinal ordinal: Int) -> Int {
        var range = 0..<ordinals.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = ordinals[middle] < ordinal ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        var index = range.lowerBound
        while index < entries.count, !entries[index].isEvent { index += 1 }
        return first + index
    }

    public mutating func add(_ event: TelemetryEvent) { add(event, ordinal: total) }

    mutating func add(_ event: TelemetryEvent, ordinal: Int) {
        if let session = sessions[event.sessionId] {
            if findsGaps, event.sequence > session.last, event.sequence - session.last > 1 {
                let count = Int(clamping: event.sequence - session.last - 1)
                missing = missing.addingClamped(count)
                append(.gap(count, session: event.sessionId, clientId: event.clientId), ordinal)
            } else if event.sequence < session.last, event.sequence > session.first, missing > 0 {
                // The event was not missing, only late.
                missing -= 1
            }
            sessions[event.sessionId]?.last = max(event.sequence, session.last)
        } else {
            sessions[event.sessionId] = Session(first: event.sequence, last: event.sequence)
        }
        append(.event(event), ordinal)
        total += 1
        trim()
    }

    public mutating func addSkipped(_ count: Int) { addSkipped(count, ordinal: total) }

    mutating func addSkipped(_ count: Int, ordinal: Int) {
        guard findsGaps, count > 0 else { return }
        append(.skipped(count), ordinal)
        trim()
    }

    private mutating func append(_ entry: Entry, _ ordinal: Int) {
        entries.append(entry)
        ordinals.append(ordinal)
    }

    private mutating func trim() {
        // Removes a tenth at a time, because removing from the front moves all other entries.
        guard entries.count > capacity + capacity / 10 else { return }
        let surplus = entries.count - capacity
        entries.removeFirst(surplus)
        ordinals.removeFirst(surplus)
        first += surplus
    }
}
