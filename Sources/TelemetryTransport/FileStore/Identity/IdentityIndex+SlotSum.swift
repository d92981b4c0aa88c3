import TelemetrySystem

/// Detects moved and removed slots, which a lookup alone would not notice.
extension IdentityIndex {
    /// Compares the slots with the header's sum, once.
    func checkSlots() throws {
        if hasCheckedSlots { return }
        var header = header
        try sumSlots(into: &header)
        hasCheckedSlots = header.slotSum == self.header.slotSum
        guard hasCheckedSlots else { throw Corrupt() }
    }

    /// Sets the sum from the slots: a writer killed after the slots and before the header leaves a stale sum.
    func sumSlots(into header: inout IdentityHeader) throws {
        var sum = IdentityHeader.sumOfNoSlots
        var used: UInt64 = 0
        let last = Self.offset(ofTable: header.tableCount - 1)..<Self.offset(ofTable: header.tableCount)
        try forEachSlot { slot, offset in
            sum &+= Self.summand(slot.key, slot.bits, at: offset)
            if last.contains(offset) { used += 1 }
        }
        header.slotSum = sum
        header.usedSlots = used
        hasCheckedSlots = true
    }

    /// Calls `body` for each used slot. Holes in the file are skipped.
    private func forEachSlot(_ body: (IdentitySlot, UInt64) -> Void) throws {
        let size = UInt64(MemoryLayout<IdentitySlot>.size)
        let end = try file.status().size
        var offset = Self.offset(ofTable: 0)
        while offset < end {
            let data = try file.nextData(from: offset)
            guard data < end else { break }
            offset = max(offset, data & ~(size - 1))
            let bytes = try file.read(
                at: offset, count: MemorySize.piece(from: offset, to: end, atMost: FileLines.pieceBytes))
            if bytes.isEmpty { break }
            try bytes.withUnsafeBytes { bytes in
                for start in stride(from: 0, to: bytes.count, by: Int(size)) {
                    var slot = IdentitySlot()
                    withUnsafeMutableBytes(of: &slot) { $0.copyBytes(from: bytes[start..<min(start + Int(size), bytes.count)]) }
                    if slot.key.low == 0, slot.bits == 0 { continue }
                    guard slot.check == Self.check(slot.key, slot.bits) else { throw Corrupt() }
                    body(slot, offset + UInt64(start))
                }
            }
            offset += UInt64(bytes.count)
        }
    }

    /// A slot's contribution to the sum.
    static func summand(_ key: EventKey, _ bits: UInt64, at offset: UInt64) -> UInt64 {
        var mixed = (key.high ^ offset &* 0xff51_afd7_ed55_8ccd) &* 0x9e37_79b9_7f4a_7c15
        mixed = (mixed ^ mixed >> 32 ^ key.low) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 29 ^ bits) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 32
    }
}
