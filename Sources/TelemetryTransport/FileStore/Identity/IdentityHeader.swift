import TelemetrySystem

/// The first block of a client's identity file: counts, and the operation in progress.
struct IdentityHeader {
    /// The operation in progress under the client's lock. If the next lock owner finds one, it was interrupted or failed.
    enum State: UInt64 {
        case clean
        /// Lines are being appended, and recorded in the journal.
        case appending
        /// Events are being removed; their count is not reliable.
        case removing
    }

    /// The state before an append.
    struct Append: Equatable {
        /// The segment, and its end.
        var segment = ""
        var offset: UInt64 = 0
        /// The end of the journal: the append's journal entry, if any, follows it.
        var journalFile: UInt64 = 0
        var journalOffset: UInt64 = 0
        /// The end of the append's journal entry. Zero until the entry is written.
        var journalEnd: UInt64 = 0
    }

    static let wordCount = 24
    static let version: UInt64 = 1
    static let maximumTables: UInt64 = 8
    private static let magic: UInt64 = 0x3144_4954_5645_4c54
    /// The sum of an index without slots.
    static let sumOfNoSlots: UInt64 = 0x9e37_79b9_7f4a_7c15

    /// The key of the client's hashes.
    let secret: (UInt64, UInt64)
    /// How many tables the file has.
    var tableCount: UInt64 = 1
    /// How many slots of the last table are in use.
    var usedSlots: UInt64 = 0
    /// How many events of the client are stored.
    var eventCount: UInt64 = 0
    /// The number of the next segment.
    var nextSegment: UInt64 = 1
    var state = State.clean
    var append = Append()
    /// The system boot in which this was written: after a restart, unsynchronized data may be missing.
    var boot: UInt64
    /// The minimum size of the file; a shorter file lost part of its tables. Zero until a slot is written.
    var fileBytes: UInt64 = 0
    /// The sum of all slots, to detect moved and lost ones.
    var slotSum = sumOfNoSlots

    init(secret: (UInt64, UInt64), boot: UInt64) {
        self.secret = secret
        self.boot = boot
    }

    /// Nil for words that are not a header of this version, or that have impossible values.
    init?(_ words: UnsafeMutableBufferPointer<UInt64>) {
        guard words.count == Self.wordCount, words[0] == Self.magic, words[1] == Self.version,
            (1...Self.maximumTables).contains(words[4]), let state = State(rawValue: words[8]),
            words[Self.wordCount - 1] == Self.checksum(words), words[5] <= Self.slotCount(ofTable: words[4] - 1),
            [6, 7, 9, 10, 11, 17, 19].allSatisfy({ words[$0] < StoreLayout.numberLimit })
        else { return nil }
        secret = (words[2], words[3])
        tableCount = words[4]
        usedSlots = words[5]
        eventCount = words[6]
        nextSegment = words[7]
        self.state = state
        let name = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(words)[12 * 8..<16 * 8])
        append = Append(
            segment: String(decoding: name.prefix { $0 != 0 }, as: UTF8.self), offset: words[9], journalFile: words[10],
            journalOffset: words[11], journalEnd: words[19])
        guard append.segment.isEmpty || StoreLayout.isFileName(append.segment) else { return nil }
        boot = words[16]
        fileBytes = words[17]
        slotSum = words[18]
    }

    func write(to words: UnsafeMutableBufferPointer<UInt64>) {
        words.update(repeating: 0)
        words[0] = Self.magic
        words[1] = Self.version
        words[2] = secret.0
        words[3] = secret.1
        words[4] = tableCount
        words[5] = usedSlots
        words[6] = eventCount
        words[7] = nextSegment
        words[8] = state.rawValue
        words[9] = append.offset
        words[10] = append.journalFile
        words[11] = append.journalOffset
        append.segment.withBytes { name in
            let place = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(words)[12 * 8..<16 * 8])
            place.copyBytes(from: name.prefix(place.count))
        }
        words[16] = boot
        words[17] = fileBytes
        words[18] = slotSum
        words[19] = append.journalEnd
        words[Self.wordCount - 1] = Self.checksum(words)
    }

    /// The number of slots in a table; the first table is 0.
    static func slotCount(ofTable table: UInt64) -> UInt64 { 128 << (4 * table) }

    /// The checksum of all words but the last.
    private static func checksum(_ words: UnsafeMutableBufferPointer<UInt64>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for word in words.dropLast() {
            hash = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
            hash ^= hash >> 32
        }
        return hash
    }
}
