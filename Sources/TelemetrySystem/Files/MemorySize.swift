/// Conversions between positions in files, which have 64 bits, and sizes in memory, which have as many as the processor's words.
///
/// `Word` is `Int`; tests use `Int32`, which is `Int` on processors with 32 bits, so that they show on every machine that a large
/// file neither traps nor is truncated there.
package enum MemorySize<Word: FixedWidthInteger & SignedInteger> {
    /// The size of the next piece of a file to read into memory: up to `end`, and at most `limit`.
    package static func piece(from offset: UInt64, to end: UInt64, atMost limit: Word) -> Word {
        guard offset < end, limit > 0 else { return 0 }
        return Word(clamping: min(UInt64(limit), end - offset))
    }

    /// The size of a whole file to read into memory; nil if it exceeds the limit.
    package static func whole(_ size: UInt64, atMost limit: Word) -> Word? {
        Word(exactly: size).flatMap { $0 <= limit ? $0 : nil }
    }

    /// The index of a position of the file in a buffer of its bytes from `start`, up to its end; nil if it is not in the buffer.
    package static func index(of offset: UInt64, from start: UInt64, count: Word) -> Word? {
        guard offset >= start, count >= 0, offset - start <= UInt64(count) else { return nil }
        return Word(exactly: offset - start)
    }

    /// The number of items between two positions, at most the largest number.
    package static func count(from first: UInt64, to end: UInt64) -> Word { end > first ? Word(clamping: end - first) : 0 }
}
