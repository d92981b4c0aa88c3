// Comparisons are compiled into other modules.
#if canImport(Darwin)
public import Darwin
#elseif canImport(Musl)
public import Musl
#elseif canImport(Android)
public import Android
#elseif canImport(Glibc)
public import Glibc
#endif

/// A reusable buffer for appending bytes, without an array's checks for every byte.
@usableFromInline package final class ByteBuffer {
    // No access of these overlaps another one: each is within a method that calls no closure. The checks at run time would take
    // as long as appending a short text.
    @exclusivity(unchecked) @usableFromInline var base: UnsafeMutablePointer<UInt8>
    @exclusivity(unchecked) @usableFromInline var capacity: Int
    /// Set only by this type; the hot methods are compiled into other modules.
    @exclusivity(unchecked) @usableFromInline package internal(set) var count = 0

    package init(capacity: Int = 1_024) {
        self.capacity = max(capacity, 64)
        base = .allocate(capacity: self.capacity)
    }

    deinit { base.deallocate() }

    /// The written bytes; valid until the next change.
    @inlinable package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Keeps only the first `count` bytes.
    package func truncate(to count: Int = 0) { self.count = min(self.count, max(count, 0)) }

    @inlinable @inline(__always)
    package func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count += 1
    }

    @inlinable @inline(__always)
    package func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        (base + count).update(from: start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        count += bytes.count
    }

    @inlinable @inline(__always)
    package func append(_ bytes: UnsafeBufferPointer<UInt8>) { append(UnsafeRawBufferPointer(bytes)) }

    @inlinable @inline(__always)
    package func append(literal text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package func append(_ text: String) { text.withBytes { append($0) } }

    package func append(decimal number: UInt64) {
        if number < 10 { return append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number)) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = number
            var first = 20
            while rest > 0 {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            }
            append(UnsafeBufferPointer(rebasing: digits[first...]))
        }
    }

    package func append(decimal number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        append(decimal: number.magnitude)
    }

    /// A number that is not negative, with leading zeros.
    package func append(decimal number: Int64, digits: Int) {
        reserve(digits)
        let first = base + count
        var rest = UInt64(number)
        var index = digits
        while index > 0 {
            index &-= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            first[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit)
            rest = quotient
        }
        count += digits
    }

    /// Eight hexadecimal digits.
    package func append(hexadecimal word: UInt32) {
        for shift in stride(from: 28, through: 0, by: -4) {
            append(hexadecimal: UInt8(truncatingIfNeeded: word >> UInt32(shift)) & 15)
        }
    }

    package func append(hexadecimal digit: UInt8) {
        append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }

    @inlinable @inline(__always)
    func reserve(_ more: Int) {
        if capacity - count < more { grow(more) }
    }

    @inline(never) @usableFromInline
    func grow(_ more: Int) {
        let larger = max(capacity * 2, count + more)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        moved.update(from: base, count: count)
        base.deallocate()
        (base, capacity) = (moved, larger)
    }
}

extension String {
    /// The text's UTF-8, without a copy if it is contiguous, as it nearly always is.
    @inlinable @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = self
        return copy.withUTF8(body)
    }

    /// Whether the other text has the same bytes; stricter than `==`, which ignores Unicode normalization.
    @inlinable @inline(__always)
    package func isIdentical(to other: String) -> Bool {
        // Copies of one string share storage and are detected without comparing bytes.
        typealias Words = (UInt64, UInt64)
        if MemoryLayout<String>.size == MemoryLayout<Words>.size,
            unsafeBitCast(self, to: Words.self) == unsafeBitCast(other, to: Words.self)
        {
            return true
        }
        return withBytes { bytes in other.withBytes { bytes.isIdentical(to: $0) } }
    }
}

extension UnsafeBufferPointer<UInt8> {
    @inlinable @inline(__always)
    package func isIdentical(to other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }

    @inlinable @inline(__always)
    package func isIdentical(to text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard count == length, let start = baseAddress else { return count == length }
        return memcmp(start, text.utf8Start, length) == 0
    }

    /// The index of the first line feed at or after an index.
    @inline(__always)
    package func lineFeed(from start: Int) -> Int? {
        guard let base = baseAddress, start < count,
            let found = memchr(base + start, Int32(UInt8(ascii: "\n")), count - start)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}
