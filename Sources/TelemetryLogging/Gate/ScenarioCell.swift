public import Synchronization

/// One scenario's place in the gate. It never moves and lives as long as the gate, so that readers need no lock and handles
/// can point at it.
@usableFromInline
struct ScenarioCell: ~Copyable {
    /// Which levels are recorded now, a bit each, and ``ScenarioGate/leased``; 0 while the scenario or the whole logger is off.
    @usableFromInline let levels = Atomic<UInt8>(0)
    /// When a leased scenario ends, as the bits of its seconds since 1 January 2001.
    let end = Atomic<UInt64>(0)
    let name: String
    let bytes: UnsafeMutableRawPointer
    let count: Int

    init(name: String) {
        var spelling = name
        spelling.makeContiguousUTF8()
        self.name = spelling
        count = spelling.utf8.count
        bytes = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 1)
        spelling.withUTF8 {
            bytes.copyMemory(from: UnsafeRawBufferPointer($0).baseAddress ?? UnsafeRawPointer(bytes), byteCount: $0.count)
        }
    }

    deinit { bytes.deallocate() }
}

/// Where a cell is, as a number: the pointer would not be sendable, the cell is.
@usableFromInline
struct ScenarioCellAddress: Sendable, Hashable {
    @usableFromInline let bits: UInt

    init(bits: UInt) { self.bits = bits }

    /// The cell. The gate that made it must be alive.
    @inlinable var pointer: UnsafePointer<ScenarioCell> {
        UnsafePointer(bitPattern: bits).unsafelyUnwrapped
    }

    static func allocate(name: String) -> Self {
        let pointer = UnsafeMutablePointer<ScenarioCell>.allocate(capacity: 1)
        pointer.initialize(to: ScenarioCell(name: name))
        return Self(bits: UInt(bitPattern: pointer))
    }

    func deallocate() {
        guard let pointer = UnsafeMutablePointer<ScenarioCell>(bitPattern: bits) else { return }
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }
}
