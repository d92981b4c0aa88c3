import TelemetrySystem

/// The identifiers of all events of a client that were ever stored, in a file with constant lookup cost.
///
/// Tables of 32-byte slots (key, word of bits, check) follow the header. Each table has sixteen times the slots of the previous
/// one. A new key goes into the last table, which is filled to at most two thirds, so that slots never move. Used only under
/// the client's lock. Numbers have the machine's byte order, since the file can always be rebuilt.
final class IdentityIndex {
    /// The file is empty or not a valid index.
    struct Corrupt: Error {}

    struct IdentitySlot {
        var key = EventKey(high: 0, low: 0)
        var bits: UInt64 = 0
        var check: UInt64 = 0
    }

    /// The stored and staged bits of one key.
    private struct KeyState {
        /// The offset of the key's slot in the file.
        var offset: UInt64?
        /// The number of tables, and the offset of the free slot for the key in the last of them.
        var free: (table: UInt64, offset: UInt64)?
        var stored: UInt64
        var bits: UInt64
    }

    let file: OpenFile
    private(set) var header: IdentityHeader
    // The accesses of the following do not overlap: no method that has one calls another with a closure. The checks at run time
    // would take as long as staging an event.
    @exclusivity(unchecked) private var keys: EventKeyMaker
    @exclusivity(unchecked) private var staged: [EventKey: KeyState] = [:]
    /// The key of the last lookup, which is nearly always also the key of the next one.
    @exclusivity(unchecked) private var lastKey: EventKey?
    @exclusivity(unchecked) private var last = KeyState(offset: nil, stored: 0, bits: 0)
    /// Whether the slots were compared with the header's sum; later changes to them are not detected.
    var hasCheckedSlots = false
    /// Identifies the file for as long as it exists.
    let inode: UInt64
    /// The words of the header that was read or written last. As long as the file has the same, no other process has changed it.
    private var words: [UInt64]

    /// - Throws: `Corrupt`, or a ``FileError`` if the file cannot be read.
    init(file: OpenFile, hasCheckedSlots: Bool = false) throws {
        self.file = file
        self.hasCheckedSlots = hasCheckedSlots
        words = try Self.readWords(of: file)
        header = try Self.header(words)
        keys = EventKeyMaker(secret: header.secret)
        let status = try file.status()
        inode = status.inode
        if header.fileBytes == 0 { header.fileBytes = status.size }
        try check(fileSize: status.size)
    }

    /// Creates a new index in an empty file.
    init(new file: OpenFile, header: IdentityHeader) throws {
        self.file = file
        self.header = header
        keys = EventKeyMaker(secret: header.secret)
        words = []
        inode = try file.status().inode
        hasCheckedSlots = true
        try write(header)
    }

    /// Reads changes by other processes, and discards staged events.
    func refresh(fileSize: UInt64 = .max) throws {
        let words = try Self.readWords(of: file)
        if words == self.words, !hasStaged { return try check(fileSize: fileSize) }
        discard()
        var header = try Self.header(words)
        guard header.secret == self.header.secret else { throw Corrupt() }
        if header.fileBytes == 0 { header.fileBytes = self.header.fileBytes }
        self.header = header
        self.words = words
        try check(fileSize: fileSize)
    }

    /// Slots after the end of the file count as free: in a truncated file, known events would look new.
    private func check(fileSize: UInt64) throws {
        guard fileSize >= header.fileBytes else { throw Corrupt() }
    }

    func write(_ header: IdentityHeader) throws(FileError) {
        var words = [UInt64](repeating: 0, count: IdentityHeader.wordCount)
        words.withUnsafeMutableBufferPointer { header.write(to: $0) }
        // Forgotten first, because a failed write may have changed a part.
        self.words = []
        try words.withUnsafeBufferPointer { words throws(FileError) in try file.write(UnsafeRawBufferPointer(words), at: 0) }
        self.words = words
        self.header = header
    }

    /// The header of an identity file, which can be read without the lock.
    ///
    /// - Throws: `Corrupt` if the header is invalid or is being written.
    static func readHeader(of file: OpenFile) throws -> IdentityHeader { try header(readWords(of: file)) }

    private static func header(_ words: [UInt64]) throws -> IdentityHeader {
        var words = words
        guard let header = words.withUnsafeMutableBufferPointer({ IdentityHeader($0) }) else { throw Corrupt() }
        return header
    }

    private static func readWords(of file: OpenFile) throws -> [UInt64] {
        var words = [UInt64](repeating: 0, count: IdentityHeader.wordCount)
        let count = try words.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        guard count == IdentityHeader.wordCount * 8 else { throw Corrupt() }
        return words
    }

    /// Stages the event for ``commit(into:)``. Returns false if it is already stored or staged.
    func stage(_ eventId: String) throws -> Bool { try stage(keys.key(of: eventId)) }

    /// Stages the event of this session; the same as with its identifier as a text.
    func stage(_ event: EventFields, of sessionId: String) throws -> Bool {
        if event.identifier != nil { return try stage(event.identifier(in: sessionId)) }
        return try stage(keys.key(of: sessionId, event.sequence))
    }

    private func stage(_ place: (key: EventKey, bit: UInt64)) throws -> Bool {
        let (key, bit) = place
        if lastKey != key {
            keepLast()
            lastKey = nil
            last = try staged[key] ?? find(key)
            lastKey = key
        }
        if last.bits & bit != 0 { return false }
        last.bits |= bit
        return true
    }

    /// Whether events are staged that the file does not have.
    private var hasStaged: Bool { !staged.isEmpty || lastKey != nil && last.bits != last.stored }

    func discard() {
        if !staged.isEmpty { staged.removeAll(keepingCapacity: true) }
        lastKey = nil
    }

    /// Writes the staged events and updates the numbers in the header; the caller writes the header.
    func commit(into header: inout IdentityHeader) throws {
        if let lastKey { staged[lastKey] = nil }
        for (key, entry) in staged { _ = try commit(key, entry, &header) }
        if let lastKey { last = try commit(lastKey, last, &header) }
        staged.removeAll(keepingCapacity: true)
    }

    /// Returns the key's new state.
    private func commit(_ key: EventKey, _ entry: KeyState, _ header: inout IdentityHeader) throws -> KeyState {
        if entry.bits == entry.stored { return entry }
        var (offset, former) = (entry.offset ?? 0, entry.stored)
        if entry.offset == nil { (offset, former) = try freeSlot(for: key, entry, &header) }
        let slot = IdentitySlot(key: key, bits: entry.bits, check: Self.check(key, entry.bits))
        try withUnsafeBytes(of: slot) { try file.write($0, at: offset) }
        header.fileBytes = max(header.fileBytes, offset + UInt64(MemoryLayout<IdentitySlot>.size))
        if former != 0 { header.slotSum &-= Self.summand(key, former, at: offset) }
        header.slotSum &+= Self.summand(key, entry.bits, at: offset)
        return KeyState(offset: offset, stored: entry.bits, bits: entry.bits)
    }

    private func keepLast() {
        if let lastKey { staged[lastKey] = last }
    }

    private func find(_ key: EventKey) throws -> KeyState {
        var entry = KeyState(offset: nil, stored: 0, bits: 0)
        for table in (0..<header.tableCount).reversed() {
            switch try search(key, table: table) {
            case .taken(let offset, let bits): return KeyState(offset: offset, stored: bits, bits: bits)
            case .free(let offset): entry.free = entry.free ?? (table, offset)
            }
        }
        return entry
    }

    /// A slot for a new key, and the bits that a killed writer left for that key there.
    private func freeSlot(
        for key: EventKey, _ entry: KeyState, _ header: inout IdentityHeader
    ) throws -> (offset: UInt64, former: UInt64) {
        if header.usedSlots >= Self.slotCount(header.tableCount - 1) / 3 * 2,
            header.tableCount < IdentityHeader.maximumTables
        {
            header.tableCount += 1
            header.usedSlots = 0
        }
        header.usedSlots += 1
        // An earlier one of several new keys may have taken the free slot.
        if staged.isEmpty, let free = entry.free, free.table == header.tableCount - 1 { return (free.offset, 0) }
        switch try search(key, table: header.tableCount - 1) {
        case .taken(let offset, let bits): return (offset, bits)
        case .free(let offset): return (offset, 0)
        }
    }

    private enum Place { case taken(UInt64, bits: UInt64), free(UInt64) }

    /// How many slots are read at once: mostly all that a search needs.
    private static let slotsRead: UInt64 = 16

    private func search(_ key: EventKey, table: UInt64) throws -> Place {
        let count = Self.slotCount(table)
        let size = MemoryLayout<IdentitySlot>.size
        return try withUnsafeTemporaryAllocation(of: IdentitySlot.self, capacity: Int(Self.slotsRead)) { slots in
            var index = key.high & (count - 1)
            var left = count
            while left > 0 {
                let reading = Int(min(Self.slotsRead, left, count - index))
                let first = Self.offset(ofTable: table) + index * UInt64(size)
                slots.initialize(repeating: IdentitySlot())
                let bytes = UnsafeMutableRawBufferPointer(slots)[..<(reading * size)]
                let filled = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes), at: first)
                for place in 0..<reading {
                    let (slot, offset) = (slots[place], first + UInt64(place * size))
                    // Slots after the end of the file are free.
                    if filled <= place * size || slot.key.low == 0 && slot.bits == 0 { return .free(offset) }
                    guard filled >= (place + 1) * size, slot.check == Self.check(slot.key, slot.bits) else { throw Corrupt() }
                    if slot.key == key { return .taken(offset, bits: slot.bits) }
                }
                left -= UInt64(reading)
                index = (index + UInt64(reading)) & (count - 1)
            }
            throw Corrupt()
        }
    }

    private static func slotCount(_ table: UInt64) -> UInt64 { IdentityHeader.slotCount(ofTable: table) }

    /// The offset of a table's first slot. The tables before it have 128 · (16^n − 1) / 15 slots.
    static func offset(ofTable table: UInt64) -> UInt64 {
        4096 + (slotCount(table) - slotCount(0)) / 15 * UInt64(MemoryLayout<IdentitySlot>.size)
    }

    static func check(_ key: EventKey, _ bits: UInt64) -> UInt64 {
        var mixed = key.high ^ key.low &* 0x9e37_79b9_7f4a_7c15 ^ bits
        mixed = (mixed ^ mixed >> 31) &* 0xbf58_476d_1ce4_e5b9
        return mixed ^ mixed >> 29 | 1
    }
}
