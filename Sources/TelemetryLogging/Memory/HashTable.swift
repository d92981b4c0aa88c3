/// Finds numbers by hashes. What has the same hash is taken for the same, so the hashes need all of their bits.
struct HashTable {
    private var slots: [(hash: UInt64, value: Int32)]
    private let mask: Int
    private(set) var count = 0

    private static let none: Int32 = -1

    /// - Parameter capacity: The maximum number of hashes.
    init(capacity: Int) {
        var size = 2
        while size < 2 * capacity { size *= 2 }
        slots = Array(repeating: (0, Self.none), count: size)
        mask = size - 1
    }

    /// The number that was inserted.
    @inline(__always)
    subscript(hash: UInt64) -> Int? {
        var place = Int(truncatingIfNeeded: hash) & mask
        while true {
            let slot = slots[place]
            if slot.value == Self.none { return nil }
            if slot.hash == hash { return Int(slot.value) }
            place = (place &+ 1) & mask
        }
    }

    /// Inserts a number that is not negative, for a hash that the table does not have.
    mutating func insert(_ value: Int, for hash: UInt64) {
        var place = Int(truncatingIfNeeded: hash) & mask
        while slots[place].value != Self.none { place = (place &+ 1) & mask }
        slots[place] = (hash, Int32(value))
        count += 1
    }
}
