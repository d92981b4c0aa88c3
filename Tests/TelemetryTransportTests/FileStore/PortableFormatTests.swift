import TelemetryModels
import TelemetrySystem
import Testing

@testable import TelemetryTransport

/// Files are the same on every system: little-endian words of fixed width, and decimal numbers of 64 bits.
struct PortableFormatTests {
    /// A client's identity header as a 64-bit Linux system wrote it.
    private static let header: [UInt8] = {
        var bytes: [UInt8] = []
        bytes += Array("TLEVTID1".utf8)
        bytes += [1, 0, 0, 0, 0, 0, 0, 0]
        bytes += [0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01]
        bytes += [0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11]
        bytes += [2, 0, 0, 0, 0, 0, 0, 0]
        bytes += [7, 0, 0, 0, 0, 0, 0, 0]
        bytes += [0x01, 0, 0, 0, 0x02, 0, 0, 0]
        bytes += [9, 0, 0, 0, 0, 0, 0, 0]
        bytes += [1, 0, 0, 0, 0, 0, 0, 0]
        bytes += [0, 0, 0, 0, 0x03, 0, 0, 0]
        bytes += [4, 0, 0, 0, 0, 0, 0, 0]
        bytes += [0, 0, 0, 0, 0x05, 0, 0, 0]
        bytes += Array("1-abcdefgh.jsonl".utf8) + [UInt8](repeating: 0, count: 16)
        bytes += [0xf0, 0xde, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12]
        bytes += [0, 0x10, 0, 0, 0x06, 0, 0, 0]
        bytes += [0x15, 0x7c, 0x4a, 0x7f, 0xb9, 0x79, 0x37, 0x9e]
        bytes += [0x2a, 0, 0, 0, 0x05, 0, 0, 0]
        bytes += [UInt8](repeating: 0, count: 24)
        return bytes
    }()

    @Test("An identity header consists of little-endian words of 64 bits, with values of more than 32 bits")
    func identityHeader() throws {
        var header = IdentityHeader(secret: (0x0102_0304_0506_0708, 0x1112_1314_1516_1718), boot: 0x1234_5678_9abc_def0)
        (header.tableCount, header.usedSlots, header.eventCount, header.nextSegment) = (2, 7, 0x2_0000_0001, 9)
        header.state = .appending
        (header.append.segment, header.append.offset, header.append.journalFile) = ("1-abcdefgh.jsonl", 3 << 32, 4)
        (header.append.journalOffset, header.append.journalEnd) = (5 << 32, 5 << 32 | 0x2a)
        header.fileBytes = 6 << 32 | 0x1000
        let words = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: IdentityHeader.wordCount)
        defer { words.deallocate() }
        header.write(to: words)
        let written = Array(UnsafeRawBufferPointer(words))
        #expect(written.count == 192)
        #expect(Array(written.prefix(Self.header.count)) == Self.header)

        // The checksum is the last word; with it, the bytes are read as they were written.
        UnsafeMutableRawBufferPointer(words).copyBytes(from: Self.header + written.suffix(8))
        let read = try #require(IdentityHeader(words))
        #expect(read.eventCount == 0x2_0000_0001)
        #expect(read.append == header.append)
        #expect(read.boot == header.boot)
        #expect(read.fileBytes == header.fileBytes)
        words[6] += 1
        #expect(IdentityHeader(words) == nil)
    }

    @Test(
        "Numbers of more than 32 bits are written in full and read again",
        arguments: [UInt64(1) << 31, 1 << 32, 1 << 53, .max])
    func numbers(number: UInt64) {
        let buffer = ByteBuffer()
        buffer.append(decimal: number)
        #expect(String(decoding: buffer.bytes, as: UTF8.self) == "\(number)")
        let read = withExtendedLifetime(buffer) {
            var scanner = JSONScanner(buffer.bytes.bindMemory(to: UInt8.self))
            return scanner.unsigned()
        }
        #expect(read == number)
    }
}
