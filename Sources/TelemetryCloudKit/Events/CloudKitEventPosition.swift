import Foundation

/// Where an event stands in the order of arrival: when the server received it, and its place among those that came with it.
package struct CloudKitEventPosition: Sendable, Hashable, Comparable {
    /// Seconds since the reference date.
    package var received: Double
    package var index: Int64
    /// Tells apart what arrived together; the hash of the record's name.
    package var name: UInt64

    package init(received: Double, index: Int64, name: UInt64) {
        self.received = received
        self.index = index
        self.name = name
    }

    /// Behind everything that was received at a time.
    package static func end(of received: Double) -> Self { Self(received: received, index: .max, name: .max) }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.received, lhs.index, lhs.name) < (rhs.received, rhs.index, rhs.name)
    }
}

/// A 64-bit FNV-1a hash, the same in every process: <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>.
package enum StableHash {
    package static func hash(of text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}
