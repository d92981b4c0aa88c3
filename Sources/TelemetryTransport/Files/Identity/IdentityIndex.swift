/// Which events of a client were ever stored, in a file that costs the same to ask however large it is.
///
/// Behind the header stand tables of slots of 32 bytes: key, word of bits, check. Each table has four times the slots of the
/// one before; a new key goes to the last, which is never filled beyond two thirds, so that nothing is ever moved. Used only
/// under the client's lock.
final class IdentityIndex {
    private static let slotSize = 32
    private static let slotsOfFirst: UInt64 = 128

    /// What is known under one key, and what is to be known.
    private struct Entry {
        var offset: UInt64?
        var stored: UInt64
        var bits: UInt64
    }

    struct Corrupt: Error {}

    let file: OpenFile
    private(set) var header: IdentityHeader
    private var keys: EventKeyMaker
    private var staged: [EventKey: Entry] = [:]
    private var last: (key: EventKey, entry: Entry)?

    /// - Throws: `Corrupt` where the file holds something else, or nothing.
    init(file: OpenFile) throws {
        self.file = file
        guard let header = IdentityHeader(try file.read(at: 0, count: IdentityHeader.size)) else { throw Corrupt() }
        self.header = header
        keys = EventKeyMaker(secret: header.secret)
    }

    /// Begins a new index in an empty file.
    init(new file: OpenFile, header: IdentityHeader) throws(FileError) {
        self.file = file
        self.header = header
        keys = EventKeyMaker(secret: header.secret)
        try write(header)
    }

    /// Reads what other processes may have written since. What was staged is forgotten.
    func refresh() throws {
        discard()
        guard let header = IdentityHeader(try file.read(at: 0, count: IdentityHeader.size)) else { throw Corrupt() }
        self.header = header
    }

    func write(_ header: IdentityHeader) throws(FileError) {
        try file.write(header.bytes(), at: 0)
        self.header = header
    }

    /// Notes the event for ``commit()``. False where it is known, or noted already.
    func stage(_ eventId: String) throws -> Bool {
        let (key, bit) = keys.key(of: eventId)
        if last?.key != key {
            flushLast()
            last = (key, try staged[key] ?? find(key))
        }
        guard var entry = last?.entry, entry.bits & bit == 0 else { return false }
        entry.bits |= bit
        last = (key, entry)
        return true
    }

    func discard() {
        staged.removeAll(keepingCapacity: true)
        last = nil
    }

    /// Writes what was staged. The header's numbers change with it; it is the caller's to write.
    func commit(into header: inout IdentityHeader) throws {
        flushLast()
        for (key, entry) in staged where entry.bits != entry.stored {
            let offset = try entry.offset ?? freeSlot(for: key, header: &header)
            try file.write(Self.slot(key, entry.bits), at: offset)
        }
        discard()
    }

    private func flushLast() {
        if let last { staged[last.key] = last.entry }
    }

    private func find(_ key: EventKey) throws -> Entry {
        for table in (0..<header.tableCount).reversed() {
            if case .taken(let offset, let bits) = try search(key, table: table) {
                return Entry(offset: offset, stored: bits, bits: bits)
            }
        }
        return Entry(offset: nil, stored: 0, bits: 0)
    }

    private func freeSlot(for key: EventKey, header: inout IdentityHeader) throws -> UInt64 {
        if header.usedSlots >= Self.slotCount(header.tableCount - 1) / 3 * 2 {
            header.tableCount += 1
            header.usedSlots = 0
        }
        header.usedSlots += 1
        switch try search(key, table: header.tableCount - 1) {
        case .taken(let offset, _), .free(let offset): return offset
        }
    }

    private enum Place { case taken(UInt64, bits: UInt64), free(UInt64) }

    private func search(_ key: EventKey, table: UInt64) throws -> Place {
        let count = Self.slotCount(table)
        var slot = key.high & (count - 1)
        for _ in 0...count {
            let offset = Self.offset(ofTable: table) + slot * UInt64(Self.slotSize)
            let bytes = try file.read(at: offset, count: Self.slotSize)
            // Beyond the end of the file everything is still free.
            guard bytes.count == Self.slotSize else { return .free(offset) }
            let found = EventKey(high: bytes.word(at: 0), low: bytes.word(at: 8))
            let bits = bytes.word(at: 16)
            if found.low == 0, bits == 0 { return .free(offset) }
            guard bytes.word(at: 24) == Self.check(found, bits) else { throw Corrupt() }
            if found == key { return .taken(offset, bits: bits) }
            slot = (slot + 1) & (count - 1)
        }
        throw Corrupt()
    }

    private static func slotCount(_ table: UInt64) -> UInt64 { slotsOfFirst << (2 * table) }

    /// The tables before it have 128 · (4^n − 1) / 3 slots.
    private static func offset(ofTable table: UInt64) -> UInt64 {
        4096 + (slotCount(table) - slotsOfFirst) / 3 * UInt64(slotSize)
    }

    private static func slot(_ key: EventKey, _ bits: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(slotSize)
        for word in [key.high, key.low, bits, check(key, bits)] { bytes.append(word: word) }
        return bytes
    }

    private static func check(_ key: EventKey, _ bits: UInt64) -> UInt64 {
        var mixed = key.high ^ key.low &* 0x9e37_79b9_7f4a_7c15 ^ bits
        mixed = (mixed ^ mixed >> 31) &* 0xbf58_476d_1ce4_e5b9
        return mixed ^ mixed >> 29 | 1
    }
}
