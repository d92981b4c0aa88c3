import Synchronization

/// An open-addressing table from names to cells that is read without a lock while one writer inserts.
///
/// Slots are filled once and never changed. A table that is half full is replaced by one of twice the size; whoever still
/// reads the old one finds what was in it, and its memory is kept until the gate ends: together less than the current one's.
struct ScenarioTable: Sendable {
    private struct Slot: ~Copyable {
        let hash = Atomic<UInt64>(0)
        let cell = Atomic<UInt>(0)
    }

    /// The address of the slots; the first one holds the capacity less one in place of a hash.
    let bits: UInt

    init(bits: UInt) { self.bits = bits }

    /// - Parameter capacity: A power of two.
    init(capacity: Int) {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: capacity + 1)
        for index in 0...capacity { (slots + index).initialize(to: Slot()) }
        slots.pointee.hash.store(UInt64(capacity - 1), ordering: .relaxed)
        bits = UInt(bitPattern: slots)
    }

    private var slots: UnsafePointer<Slot> { UnsafePointer(bitPattern: bits).unsafelyUnwrapped }
    private var mask: UInt64 { slots.pointee.hash.load(ordering: .relaxed) }
    var capacity: Int { Int(mask) + 1 }

    /// The cell under this hash that satisfies the condition.
    @inline(__always)
    func find(hash: UInt64, where isMatch: (UnsafePointer<ScenarioCell>) -> Bool) -> ScenarioCellAddress? {
        let slots = slots
        let mask = mask
        var index = hash & mask
        while true {
            let slot = slots + 1 + Int(truncatingIfNeeded: index)
            let address = slot.pointee.cell.load(ordering: .acquiring)
            if address == 0 { return nil }
            if slot.pointee.hash.load(ordering: .relaxed) == hash {
                let found = ScenarioCellAddress(bits: address)
                if isMatch(found.pointer) { return found }
            }
            index = (index &+ 1) & mask
        }
    }

    /// Called by one writer at a time, on a table that is at most half full.
    func insert(_ cell: ScenarioCellAddress, hash: UInt64) {
        let slots = slots
        var index = hash & mask
        while (slots + 1 + Int(index)).pointee.cell.load(ordering: .relaxed) != 0 { index = (index + 1) & mask }
        let slot = slots + 1 + Int(index)
        slot.pointee.hash.store(hash, ordering: .relaxed)
        slot.pointee.cell.store(cell.bits, ordering: .releasing)
    }

    /// Inserts everything that is in another table.
    func insertAll(of other: ScenarioTable) {
        for index in 0..<other.capacity {
            let slot = other.slots + 1 + index
            let address = slot.pointee.cell.load(ordering: .relaxed)
            if address != 0 {
                insert(ScenarioCellAddress(bits: address), hash: slot.pointee.hash.load(ordering: .relaxed))
            }
        }
    }

    func deallocate() {
        guard let slots = UnsafeMutablePointer<Slot>(bitPattern: bits) else { return }
        slots.deinitialize(count: capacity + 1)
        slots.deallocate()
    }
}
