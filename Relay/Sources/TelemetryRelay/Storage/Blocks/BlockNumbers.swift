import Foundation

/// Writes the columns of a block that only the relay reads: numbers of variable length (LEB128) and byte strings.
struct BlockWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func count(_ count: Int) { number(UInt64(count)) }

    /// A number that may be negative, in the zigzag form of Protocol Buffers.
    mutating func signed(_ number: Int64) { self.number(UInt64(bitPattern: (number << 1) ^ (number >> 63))) }

    mutating func string(_ string: Data) {
        count(string.count)
        bytes.append(contentsOf: string)
    }
}

/// Reads what a ``BlockWriter`` wrote. Throws ``RelayStorageError/corrupt(_:)`` for anything else.
struct BlockScanner {
    private let bytes: [UInt8]
    private var position = 0

    /// Copies the data, whose bytes take several times as long to read one by one.
    init(_ data: Data) { bytes = Array(data) }

    static let malformed = RelayStorageError.corrupt("a block of events cannot be read")

    var isAtEnd: Bool { position == bytes.count }

    mutating func number() throws -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count, shift < 64 {
            let byte = bytes[position]
            position += 1
            result |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return result }
            shift += 7
        }
        throw Self.malformed
    }

    /// A number that is at most `maximum`.
    mutating func count(atMost maximum: Int) throws -> Int {
        guard let count = Int(exactly: try number()), count <= maximum else { throw Self.malformed }
        return count
    }

    mutating func signed() throws -> Int64 {
        let number = try number()
        return Int64(bitPattern: (number >> 1) ^ (0 &- (number & 1)))
    }

    mutating func string() throws -> Data {
        let count = try count(atMost: bytes.count)
        guard count <= bytes.count - position else { throw Self.malformed }
        defer { position += count }
        return Data(bytes[position..<position + count])
    }
}
