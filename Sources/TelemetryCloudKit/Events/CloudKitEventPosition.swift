import Foundation

/// An event's position in the order of arrival: when the server received it, and its index in the append.
package struct CloudKitEventPosition: Sendable, Hashable, Comparable {
    /// Seconds since the reference date.
    package var received: Double
    /// Which append it came with and where it stood there; see ``CloudKitAppendIndex``.
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

/// What an event's record says of the append that it came with: 43 random bits for the append, 20 for the place in it.
///
/// CloudKit gives every record a time of its own, and promises no order among those of one operation.
package enum CloudKitAppendIndex {
    private static let placeBits = 20

    /// A number for an append, the same for all its events.
    package static func newAppend() -> Int64 { Int64.random(in: 1..<(1 << 43)) }

    package static func index(of place: Int, in append: Int64) -> Int64 {
        append << placeBits | Int64(min(place, 1 << placeBits - 1))
    }

    /// The append's number; nil for an event that does not say.
    package static func append(of index: Int64) -> Int64? { index >> placeBits > 0 ? index >> placeBits : nil }

    /// Gives the events of each append their order, in the places that they have together.
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

/// A 64-bit FNV-1a hash, the same in every process: <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>.
package enum StableHash {
    package static func hash(of text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}
