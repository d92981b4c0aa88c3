import TelemetrySystem

/// The first block of an index file: which journal file it describes, its parts, and their checksums.
struct JournalIndexHeader: Equatable {
    struct Part: Equatable {
        var byteCount: UInt64 = 0
        var checksum: UInt64 = 0
    }

    static let wordCount = 24
    static let byteCount = UInt64(wordCount * 8)
    private static let magic: UInt64 = 0x3158_4449_4a54_4c54
    private static let version: UInt64 = 1

    var stamp: JournalIndexStamp
    var range = JournalIndex.Range()
    /// The names, the cells and the entries, in the order of the file.
    var parts = [Part](repeating: Part(), count: 3)

    func offset(ofPart part: Int) -> UInt64 { parts[..<part].reduce(Self.byteCount) { $0.addingClamped($1.byteCount) } }

    func write(to buffer: ByteBuffer) {
        let start = buffer.count
        var words = [Self.magic, Self.version] + stamp.words + [range.first, range.last, range.journalSize, range.events]
        words += parts.flatMap { [$0.byteCount, $0.checksum] }
        words += [UInt64](repeating: 0, count: Self.wordCount - 1 - words.count)
        for word in words { buffer.append(word: word) }
        buffer.append(word: IndexChecksum.hash(UnsafeRawBufferPointer(rebasing: buffer.bytes[start...])))
    }

    /// Nil for bytes that are not the header of an index of the journal file with this stamp.
    init?(_ bytes: UnsafeRawBufferPointer, of stamp: JournalIndexStamp) {
        guard bytes.count == Self.wordCount * 8 else { return nil }
        var words = IndexWords(bytes)
        let checksum = IndexChecksum.hash(UnsafeRawBufferPointer(rebasing: bytes.dropLast(8)))
        guard words.next() == Self.magic, words.next() == Self.version, stamp.words.allSatisfy({ words.next() == $0 }),
            bytes.loadUnaligned(fromByteOffset: (Self.wordCount - 1) * 8, as: UInt64.self).littleEndian == checksum
        else { return nil }
        self.stamp = stamp
        range = JournalIndex.Range(
            first: words.next() ?? 0, last: words.next() ?? .max, journalSize: words.next() ?? 0, events: words.next() ?? 0)
        for part in parts.indices { parts[part] = Part(byteCount: words.next() ?? 0, checksum: words.next() ?? 0) }
        guard range.journalSize == stamp.size, parts.allSatisfy({ $0.byteCount < StoreLayout.numberLimit }) else { return nil }
    }

    init(stamp: JournalIndexStamp, range: JournalIndex.Range) {
        self.stamp = stamp
        self.range = range
    }
}

/// Reads little-endian words one after the other.
struct IndexWords {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    /// Nil at the end.
    @inline(__always)
    mutating func next() -> UInt64? {
        guard position + 8 <= bytes.count else { return nil }
        defer { position += 8 }
        return bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian
    }

    /// A number below `limit`.
    @inline(__always)
    mutating func number(below limit: Int) -> Int? {
        guard let word = next(), word < UInt64(limit) else { return nil }
        return Int(word)
    }

    mutating func text() -> String? {
        guard let count = number(below: bytes.count + 1), position + count <= bytes.count else { return nil }
        defer { position += count }
        return String(decoding: bytes[position..<position + count], as: UTF8.self)
    }
}

extension ByteBuffer {
    @inline(__always)
    func append(word: UInt64) { withUnsafeBytes(of: word.littleEndian) { append($0) } }

    func append(counted text: String) {
        append(word: UInt64(text.utf8.count))
        append(text)
    }
}
