import TelemetryModels
import TelemetrySystem

/// The location of an event's identifier in the index: one bit of the word stored under a 128-bit key.
///
/// Identifiers that end in a number share a key with their 63 neighbours, so that a logger's consecutive identifiers take
/// little space; any other identifier has its own key. Keys are hashed with a secret of the client, so that collisions
/// cannot be constructed.
struct EventKey: Hashable {
    let high: UInt64
    let low: UInt64
}

/// Derives keys from identifiers.
struct EventKeyMaker {
    private let secret: (UInt64, UInt64)
    /// The last prefix, its hash, the last group of 64 numbers with it, and that group's key. Successive identifiers mostly share
    /// them.
    private var prefix: [UInt8] = []
    private var prefixHash = EventKey(high: 0, low: 0)
    private var group: UInt64?
    private var groupKey = EventKey(high: 0, low: 0)

    init(secret: (UInt64, UInt64)) { self.secret = secret }

    mutating func key(of eventId: String) -> (key: EventKey, bit: UInt64) {
        if let found = eventId.withBytes({ bytes in Self.isASCII(bytes) ? key(of: bytes) : nil }) { return found }
        // Identifiers that are equal by `==` have the same key.
        return CanonicalForm.utf8(of: eventId).withUnsafeBufferPointer { key(of: $0) }
    }

    private static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var all: UInt8 = 0
        for byte in bytes { all |= byte }
        return all < 0x80
    }

    private mutating func key(of bytes: UnsafeBufferPointer<UInt8>) -> (key: EventKey, bit: UInt64) {
        guard let number = EventNumber(bytes) else {
            let hash = SipHash.hash(UnsafeRawBufferPointer(bytes), key: secret)
            return (EventKey(high: hash.high, low: hash.low | 1), 1)
        }
        return key(of: UnsafeBufferPointer(rebasing: bytes[..<number.prefixCount]), number.number)
    }

    /// The key of the identifier that consists of a prefix, a dash and a number.
    mutating func key(of prefix: String, _ number: UInt64) -> (key: EventKey, bit: UInt64) {
        guard number < EventNumber.limit else { return key(of: EventIdentifier.make(sessionId: prefix, sequence: number)) }
        let found = prefix.withBytes { bytes in Self.isASCII(bytes) ? key(of: bytes, number) : nil }
        return found ?? key(of: EventIdentifier.make(sessionId: prefix, sequence: number))
    }

    private mutating func key(of name: UnsafeBufferPointer<UInt8>, _ number: UInt64) -> (key: EventKey, bit: UInt64) {
        if group == nil || !prefix.withUnsafeBufferPointer({ $0.isIdentical(to: name) }) {
            prefix = Array(name)
            prefixHash = SipHash.hash(UnsafeRawBufferPointer(name), key: (secret.0, ~secret.1))
            group = nil
        }
        if group != number >> 6 {
            group = number >> 6
            let words = (prefixHash.high.littleEndian, prefixHash.low.littleEndian, (number >> 6).littleEndian)
            let hash = withUnsafeBytes(of: words) { SipHash.hash($0, key: secret) }
            groupKey = EventKey(high: hash.high, low: hash.low & ~1 | 2)
        }
        return (groupKey, 1 << (number & 63))
    }
}
