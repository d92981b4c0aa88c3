public import Synchronization

/// The state of one scenario in the gate. It has a constant address until the gate is deinitialized, so that threads read it
/// without a lock and ``TelemetryScenario`` keeps a pointer to it.
@usableFromInline
struct ScenarioCell: ~Copyable {
    /// The levels that are delivered now, one bit each, with ``ScenarioGate/leased``, ``ScenarioGate/budgeted``,
    /// ``ScenarioGate/conditional`` and ``ScenarioGate/holdsWithoutContext``, and the levels that the flight recorder keeps, shifted by
    /// ``ScenarioGate/recordedShift``; 0 while no event is recorded.
    @usableFromInline let levels = Atomic<UInt8>(0)
    /// When a leased scenario ends: the bit pattern of the seconds since 1 January 2001.
    let end = Atomic<UInt64>(0)
    /// The identifier of the conditions on the context.
    let conditions = Atomic<UInt64>(0)
    /// The meter of a budgeted scenario, which the gate's budgets own; never replaced.
    let meter = Atomic<SharedMemory<BudgetMeter>?>(nil)
    /// The index of the ring in which the flight recorder keeps the scenario's events.
    let ring = Atomic<Int>(0)
    let name: String
    /// The words of a short name; nil for one that is too long for them to contain its bytes.
    let words: TextWords?
    /// The name's UTF-8, with a constant address; at least one byte is allocated.
    private let bytes: SharedMemory<UInt8>
    private let count: Int

    init(name: String) {
        let spelling = Array(name.utf8)
        // A copy in the form that callers' strings have.
        self.name = String(decoding: spelling, as: UTF8.self)
        words = spelling.count <= 15 ? TextWords(self.name) : nil
        count = spelling.count
        bytes = SharedMemory(count: max(spelling.count, 1)) { spelling.isEmpty ? 0 : spelling[$0] }
    }

    // Only the cell uses the bytes; `init` allocated as many.
    deinit { unsafe bytes.deallocate(count: max(count, 1)) }

    /// Whether the name has exactly these UTF-8 bytes.
    @inline(__always)
    borrowing func isNamed(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.count == count, let other = name.baseAddress else { return false }
        // Both have `count` bytes.
        return unsafe ByteHash.areEqual(bytes.start, other, count: count)
    }

    borrowing func hash(seed: UInt64) -> UInt64 {
        // The memory has `count` bytes.
        unsafe ByteHash.hash(name: bytes.start, count: count, seed: seed)
    }
}
