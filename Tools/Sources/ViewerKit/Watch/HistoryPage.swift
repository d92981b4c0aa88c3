import TelemetryModels

/// The stored events that a view needs. Events have ordinals in the order in which the view received them; events that were
/// stored before its start have negative ones.
public enum HistoryRequest: Sendable, Equatable {
    /// The page before this ordinal.
    case older(than: Int)
    /// The page from this ordinal on.
    case newer(from: Int)
    /// The page that contains this ordinal.
    case around(Int)
}

/// Stored events that a view requested.
public struct HistoryPage: Sendable {
    struct Item: Sendable {
        let ordinal: Int
        let entry: EventLog.Entry
    }

    /// The ordinals that were read. There may be fewer events, if some were deleted.
    let range: Range<Int>
    let items: [Item]
    /// Whether the store has no older events.
    let isOldest: Bool

    var isEmpty: Bool { range.isEmpty }

    /// - Parameter events: At most as many as there are ordinals; if there are fewer, the oldest ones are missing.
    init(range: Range<Int>, events: some Collection<TelemetryEvent>, isOldest: Bool) {
        self.range = range
        items = zip(range.suffix(events.count), events).map { Item(ordinal: $0, entry: .event($1)) }
        self.isOldest = isOldest
    }

    /// A page of the view's own events, from this ordinal on; nil if the log does not keep that event.
    init?(from ordinal: Int, of log: EventLog) {
        guard log.firstOrdinal <= ordinal, ordinal < log.total else { return nil }
        let end = min(log.total, ordinal + EventHistory.pageSize)
        range = ordinal..<end
        let numbers = log.first..<log.end
        items = numbers.compactMap { number in
            let position = log.ordinal(of: number)
            guard position >= ordinal, position < end else { return nil }
            if case .gap = log[number] { return nil }
            return Item(ordinal: position, entry: log[number])
        }
        isOldest = false
    }
}
