import Foundation

#if canImport(FoundationEssentials)
import FoundationEssentials
#endif

/// Where an event's identifier is remembered: in one bit of the word under a key of 128 bits.
///
/// Identifiers that end in a number share a key with their 63 neighbours, so that the ones that a logger counts up take next
/// to nothing; any other has a key of its own. The keys are hashed with a secret of the client's own, so that nobody can
/// make identifiers that meet.
struct EventKey: Hashable {
    let high: UInt64
    let low: UInt64
}

/// Makes keys out of identifiers.
struct EventKeyMaker {
    private let secret: (UInt64, UInt64)
    /// The last prefix and its hash: identifiers come in runs.
    private var lastPrefix: [UInt8] = []
    private var lastHash = EventKey(high: 0, low: 0)

    init(secret: (UInt64, UInt64)) { self.secret = secret }

    mutating func key(of eventId: String) -> (key: EventKey, bit: UInt64) {
        // Identifiers that `==` calls equal are one.
        let text = eventId.utf8.allSatisfy { $0 < 0x80 } ? eventId : eventId.precomposedStringWithCanonicalMapping
        guard let number = EventNumber(text) else {
            let hash = SipHash.hash(Array(text.utf8), key: secret)
            return (EventKey(high: hash.high, low: hash.low | 1), 1)
        }
        if !lastPrefix.elementsEqual(number.prefix.utf8) || lastPrefix.isEmpty {
            lastPrefix = Array(number.prefix.utf8)
            lastHash = SipHash.hash(lastPrefix, key: (secret.0, ~secret.1))
        }
        var group = [UInt8](repeating: 0, count: 24)
        for index in 0..<8 {
            group[index] = UInt8(truncatingIfNeeded: lastHash.high >> UInt64(8 * index))
            group[8 + index] = UInt8(truncatingIfNeeded: lastHash.low >> UInt64(8 * index))
            group[16 + index] = UInt8(truncatingIfNeeded: (number.number >> 6) >> UInt64(8 * index))
        }
        let hash = SipHash.hash(group, key: secret)
        return (EventKey(high: hash.high, low: hash.low & ~1 | 2), 1 << (number.number & 63))
    }
}
