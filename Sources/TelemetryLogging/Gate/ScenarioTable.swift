import Synchronization

/// An open-addressing hash table from names to cells, read without a lock while one writer inserts.
///
/// A filled slot never changes. A table that is half full is replaced by one of twice the size. Threads that still read the old
/// table find all that was in it; its memory is kept until the gate is deinitialized. All old tables together are smaller than
/// the current one.
///
/// A copy refers to the same slots, which the gate owns.
struct ScenarioTable: Sendable {
    struct Slot: ~Copyable {
        /// The hash; in the first slot, which is not part of the table, the capacity minus one.
        let hash: Atomic<UInt64>
        let cell = Atomic<SharedMemory<ScenarioCell>?>(nil)
    }

    let slots: SharedMemory<Slot>

    init(slots: SharedMemory<Slot>) { self.slots = slots }

    /// - Parameter capacity: A power of two.
    init(capacity: Int) {
        slots = SharedMemory(count: capacity + 1) { index in
            Slot(hash: Atomic(index == 0 ? UInt64(capacity - 1) : 0))
        }
    }

    // The gate deallocates the slots in its `deinit`; the first one always exists.
    private var mask: UInt64 { unsafe slots.start.pointee.hash.load(ordering: .relaxed) }
    var capacity: Int { Int(mask) + 1 }

    /// The cell with this hash that satisfies the condition.
    @inline(__always)
    func find(hash: UInt64, where isMatch: (borrowing ScenarioCell) -> Bool) -> SharedMemory<ScenarioCell>? {
        // The index is masked, so that the slot exists. The gate keeps its slots and cells until its `deinit`.
        let first = unsafe slots.start + 1
        let mask = mask
        var index = hash & mask
        while true {
            let slot = unsafe first + Int(truncatingIfNeeded: index)
            guard let cell = unsafe slot.pointee.cell.load(ordering: .acquiring) else { return nil }
            if unsafe slot.pointee.hash.load(ordering: .relaxed) == hash, unsafe isMatch(cell.start.pointee) { return cell }
            index = (index &+ 1) & mask
        }
    }

    /// Called by one writer at a time, on a table that is at most half full.
    func insert(_ cell: SharedMemory<ScenarioCell>, hash: UInt64) {
        // The index is masked, so that the slot exists; readers access it at the same time only as atomics.
        let first = unsafe slots.start + 1
        var index = hash & mask
        while unsafe (first + Int(index)).pointee.cell.load(ordering: .relaxed) != nil { index = (index + 1) & mask }
        let slot = unsafe first + Int(index)
        unsafe slot.pointee.hash.store(hash, ordering: .relaxed)
        unsafe slot.pointee.cell.store(cell, ordering: .releasing)
    }

    /// Inserts all cells of another table.
    func insertAll(of other: ScenarioTable) {
        for index in 0..<other.capacity {
            // The index is less than the capacity.
            let slot = unsafe other.slots.start + 1 + index
            if let cell = unsafe slot.pointee.cell.load(ordering: .relaxed) {
                unsafe insert(cell, hash: slot.pointee.hash.load(ordering: .relaxed))
            }
        }
    }

    /// Deallocates the slots, which no thread may use any more.
    @unsafe
    func deallocate() {
        // `init` allocated as many.
        unsafe slots.deallocate(count: capacity + 1)
    }
}
