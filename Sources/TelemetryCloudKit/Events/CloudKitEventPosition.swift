import Foundation

/// An event's position in the order of arrival: when the server received it, and its index in the append.
package struct CloudKitEventPosition: Sendable, Hashable, Comparable {
    /// Seconds since the reference date.
    package var received: Double
    /// The event's append and its index in it; see ``CloudKitAppendIndex``.
    package var index: Int64
    /// Distinguishes events that arrived together; the hash of the record's name.
    package var name: UInt64

    package init(received: Double, index: Int64, name: UInt64) {
        self.received = received
        self.index = index
        self.name = name
    }

    /// The position after everything received at a time.
    package static func end(of received: Double) -> Self { Self(received: received, index: .max, name: .max) }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.received, lhs.index, lhs.name) < (rhs.received, rhs.index, rhs.name)
    }
}

/// The number in an event's record that identifies its append: 43 random bits for the append, 20 bits for the index in it.
///
/// CloudKit gives every record its own creation date, without an order among the records of one operation.
package enum CloudKitAppendIndex {
    private static let placeBits = 20

    /// Returns a number for an append, the same for all its events.
    package static func newAppend() -> Int64 { Int64.random(in: 1..<(1 << 43)) }

    package static func index(of place: Int, in append: Int64) -> Int64 {
        append << placeBits | Int64(min(place, 1 << placeBits - 1))
    }

    /// The append's number; nil for an event without one.
    package static func append(of index: Int64) -> Int64? { index >> placeBits > 0 ? index >> placeBits : nil }

    /// Sorts the events of each append among the places that they occupy.
    package static func inAppendOrder<Entry>(_ entries: [Entry], index: (Entry) -> Int64) -> [Entry] {
        let appends = Dictionary(grouping: entries.indices) { append(of: index(entries[$0])) }
        var ordered = entries
        for (append, places) in appends where append != nil && places.count > 1 {
            let members = places.map { entries[$0] }.sorted { index($0) < index($1) }
            for (place, member) in zip(places, members) { ordered[place] = member }
        }
        return ordered
    }
}
