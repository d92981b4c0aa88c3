import TelemetrySystem
import Testing

/// Runs the arithmetic of sizes with words of 32 bits, as some Apple Watches have, and of 64 bits.
struct MemorySizeTests {
    typealias Narrow = MemorySize<Int32>
    typealias Wide = MemorySize<Int64>

    /// Positions around the limits of words of 31, 32, 63 and 64 bits.
    static let positions: [UInt64] =
        [31, 32, 63].flatMap { bits in
            let limit: UInt64 = 1 << bits
            return [limit - 1, limit, limit + 1]
        } + [0, 1, 1 << 20, .max - 1, .max]

    static let limits: [Int32] = [1, 4_096, 1 << 20, 16 << 20, .max]

    @Test("A piece is neither longer than the limit nor the rest of the file, whatever the position", arguments: positions)
    func piece(end: UInt64) {
        for offset in Self.positions {
            for limit in Self.limits {
                let size = Narrow.piece(from: offset, to: end, atMost: limit)
                #expect(UInt64(size) == (offset < end ? min(end - offset, UInt64(limit)) : 0))
                #expect(Int64(size) == Wide.piece(from: offset, to: end, atMost: Int64(limit)))
            }
        }
    }

    @Test("A piece without room is empty", arguments: [0, -1, Int32.min])
    func noRoom(limit: Int32) { #expect(Narrow.piece(from: 0, to: .max, atMost: limit) == 0) }

    @Test("Pieces cover a file of more than 4 GiB without gaps")
    func cover() {
        let end: UInt64 = 9 << 30 + 12_345
        var offset: UInt64 = 0
        var pieces = 0
        while offset < end {
            offset += UInt64(Narrow.piece(from: offset, to: end, atMost: 16 << 20))
            pieces += 1
        }
        #expect(offset == end)
        #expect(pieces == 577)
    }

    @Test("A file is read whole only if it is within the limit", arguments: positions)
    func whole(size: UInt64) {
        for limit in Self.limits {
            #expect(Narrow.whole(size, atMost: limit).map(UInt64.init) == (size <= UInt64(limit) ? size : nil))
            #expect(Narrow.whole(size, atMost: limit).map(Int64.init) == Wide.whole(size, atMost: Int64(limit)))
        }
    }

    @Test("A position in a buffer has the same index in a file of any size", arguments: positions)
    func index(start: UInt64) {
        for distance in [0, 1, 4_095, 4_096] as [UInt64] where start <= .max - distance {
            #expect(Narrow.index(of: start + distance, from: start, count: 4_096) == Int32(distance))
        }
        for position in Self.positions where position < start || position - start > 4_096 {
            #expect(Narrow.index(of: position, from: start, count: 4_096) == nil)
        }
        if start < .max - 4_097 { #expect(Narrow.index(of: start + 4_097, from: start, count: 4_096) == nil) }
    }

    @Test("A count that has no room in a word is the largest word")
    func count() {
        #expect(Narrow.count(from: 5, to: 12) == 7)
        #expect(Narrow.count(from: 12, to: 5) == 0)
        #expect(Narrow.count(from: 0, to: 1 << 31) == .max)
        #expect(Narrow.count(from: 1 << 40, to: 1 << 40 + 3) == 3)
        #expect(Wide.count(from: 0, to: .max) == .max)
    }
}
