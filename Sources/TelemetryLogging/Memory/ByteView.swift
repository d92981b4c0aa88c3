/// Bytes that are read with checked bounds.
///
/// The view does not own the memory. It must not be used outside the scope that provides it, such as the closure that
/// ``SegmentMemory/withBytes(in:_:)`` calls.
@safe
struct ByteView {
    private let bytes: UnsafeRawBufferPointer

    // The bytes are not accessed.
    init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

    // The bytes are not accessed.
    var count: Int { unsafe bytes.count }

    /// A part of the bytes.
    /// - Precondition: The range is within the bytes.
    subscript(range: Range<Int>) -> ByteView {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        // The range was checked.
        return unsafe ByteView(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }

    /// The value at an offset, which need not be aligned; nil if it is not within the bytes.
    func load<Value: BitwiseCopyable>(_ type: Value.Type = Value.self, at offset: Int) -> Value? {
        guard offset >= 0, offset <= count, count - offset >= MemoryLayout<Value>.size else { return nil }
        // The offset was checked.
        return unsafe bytes.loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// The byte at an index.
    /// - Precondition: The index is within the bytes.
    subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < count)
        // The index was checked.
        return unsafe bytes[index]
    }

    /// The index of the first byte, from an index on, whose entry in a table is not 0.
    /// - Parameter table: An entry for each byte.
    func firstIndex(from start: Int, in table: [UInt8]) -> Int? {
        precondition(start >= 0 && table.count > UInt8.max)
        // The table has an entry for each byte, and indices are compared with the count.
        return unsafe table.withUnsafeBufferPointer { table in
            var index = start
            let count = count
            // Four entries are compared at once.
            while index + 4 <= count {
                let (first, second) = unsafe (table[Int(bytes[index])], table[Int(bytes[index + 1])])
                let (third, fourth) = unsafe (table[Int(bytes[index + 2])], table[Int(bytes[index + 3])])
                if first | second | third | fourth != 0 { break }
                index += 4
            }
            while index < count {
                if unsafe table[Int(bytes[index])] != 0 { return index }
                index += 1
            }
            return nil
        }
    }

    /// Whether a string's UTF-8 is at an index.
    func starts(with text: StaticString, at index: Int) -> Bool {
        guard count - index >= text.utf8CodeUnitCount else { return false }
        // The string has its bytes for good, and the view those that were compared with its count.
        return unsafe UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
            .elementsEqual(bytes[index..<(index + text.utf8CodeUnitCount)])
    }

    /// The end of a string in UTF-8 at an index, with ASCII letters in any case; nil if it is not there.
    func end(of text: StaticString, at index: Int) -> Int? {
        guard count - index >= text.utf8CodeUnitCount else { return nil }
        for offset in 0..<text.utf8CodeUnitCount {
            // The offset is within the string.
            let expected = unsafe text.utf8Start[offset]
            let isLetter = expected &- UInt8(ascii: "a") < 26
            guard self[index + offset] | (isLetter ? 0x20 : 0) == expected else { return nil }
        }
        return index + text.utf8CodeUnitCount
    }

    // The following read all bytes of the view, which exist during its scope.

    /// The bytes decoded as UTF-8; invalid parts are replaced.
    var text: String { unsafe String(decoding: bytes, as: UTF8.self) }

    var array: [UInt8] { unsafe Array(bytes) }

    var areZero: Bool { unsafe bytes.allSatisfy { $0 == 0 } }

    func hash(seed: UInt64) -> UInt64 {
        // The address and the count are of the same memory.
        unsafe bytes.baseAddress.map { unsafe ByteHash.hash($0, count: count, seed: seed) } ?? 0
    }

    /// Whether two views have the same bytes.
    static func == (first: ByteView, second: ByteView) -> Bool {
        // Both have `count` bytes.
        guard first.count == second.count, let one = unsafe first.bytes.baseAddress, let other = unsafe second.bytes.baseAddress
        else { return false }
        return unsafe ByteHash.areEqual(one, other, count: first.count)
    }

    func isEqual(to other: ByteView) -> Bool { count == 0 && other.count == 0 || self == other }

    /// Whether the bytes are the text's UTF-8.
    func isEqual(to text: String) -> Bool {
        guard text.utf8.count == count else { return false }
        var text = text
        // The text keeps its bytes during the call.
        return text.withUTF8 { unsafe isEqual(to: ByteView(UnsafeRawBufferPointer($0))) }
    }

    /// Calls the body with the memory, for calls that take a pointer.
    @unsafe
    func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The caller reads the bytes only within the scope of the view.
        try unsafe body(bytes)
    }
}

extension [UInt8] {
    /// Calls the body with a view that is valid during the call.
    func withByteView<Result>(_ body: (ByteView) throws -> Result) rethrows -> Result {
        // The array keeps its bytes during the call.
        try unsafe withUnsafeBytes { try unsafe body(ByteView($0)) }
    }
}
