/// The first block of a client's identity file: what is known of the client at a glance, and what was going on.
struct IdentityHeader: Equatable {
    /// Something that was begun under the client's lock. Whoever finds it undone there knows that its owner died.
    enum Intent: Equatable {
        case none
        /// Lines were to be appended to a segment that ended at this offset, and told of in the journal from that place on.
        case append(segment: String, offset: UInt64, journalFile: UInt64, journalOffset: UInt64)
        /// Events were to be removed; the count is not to be relied on.
        case removal
    }

    static let size = 192
    static let version: UInt64 = 1
    private static let magic: UInt64 = 0x3144_4954_5645_4c54
    private static let segmentBytes = 32

    /// The key of the client's hashes.
    var secret: (UInt64, UInt64)
    /// How many tables the file has; each has four times the slots of the one before it.
    var tableCount: UInt64 = 1
    /// How many slots of the last table are in use.
    var usedSlots: UInt64 = 0
    /// How many events of the client are stored.
    var eventCount: UInt64 = 0
    /// The number of the next segment, whoever makes it.
    var nextSegment: UInt64 = 1
    /// Every segment below this number that nobody deleted was let go of to keep within bounds.
    var retiredBelow: UInt64 = 0
    var intent = Intent.none

    init(secret: (UInt64, UInt64)) { self.secret = secret }

    static func == (left: Self, right: Self) -> Bool { left.bytes() == right.bytes() }

    func bytes() -> [UInt8] {
        var words: [UInt64] = [
            Self.magic, Self.version, secret.0, secret.1, tableCount, usedSlots, eventCount, nextSegment, retiredBelow,
        ]
        var segment: [UInt8] = []
        switch intent {
        case .none: words += [0, 0, 0, 0]
        case .append(let name, let offset, let journalFile, let journalOffset):
            words += [1, offset, journalFile, journalOffset]
            segment = Array(name.utf8.prefix(Self.segmentBytes))
        case .removal: words += [2, 0, 0, 0]
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.size)
        for word in words { bytes.append(word: word) }
        bytes += segment + [UInt8](repeating: 0, count: Self.segmentBytes - segment.count)
        bytes += [UInt8](repeating: 0, count: Self.size - 8 - bytes.count)
        bytes.append(word: Self.checksum(bytes[...]))
        return bytes
    }

    /// Nil for bytes that are no header of this version.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        let words = (0..<13).map { bytes.word(at: $0 * 8) }
        guard words[0] == Self.magic, words[1] == Self.version, words[4] > 0, words[4] < 24,
            bytes.word(at: Self.size - 8) == Self.checksum(bytes[..<(Self.size - 8)])
        else { return nil }
        secret = (words[2], words[3])
        tableCount = words[4]
        usedSlots = words[5]
        eventCount = words[6]
        nextSegment = words[7]
        retiredBelow = words[8]
        switch words[9] {
        case 0: intent = .none
        case 1:
            let name = bytes[104..<104 + Self.segmentBytes].prefix { $0 != 0 }
            intent = .append(
                segment: String(decoding: name, as: UTF8.self), offset: words[10], journalFile: words[11],
                journalOffset: words[12])
        default: intent = .removal
        }
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01b3 }
        return hash
    }
}

extension [UInt8] {
    /// Eight bytes, the lowest first.
    mutating func append(word: UInt64) {
        for shift in 0..<8 { append(UInt8(truncatingIfNeeded: word >> UInt64(8 * shift))) }
    }

    func word(at offset: Int) -> UInt64 {
        withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
    }
}
