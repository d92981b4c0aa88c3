import Testing

@testable import TelemetryLogging

struct ByteViewTests {
    @Test("A value is loaded only if all of its bytes are within the view", arguments: [Int.min, -1, 5, 8, 9, Int.max])
    func boundsOfLoads(offset: Int) {
        [1, 2, 3, 4, 5, 6, 7, 8].withByteView { #expect($0.load(UInt32.self, at: offset) == nil) }
    }

    @Test("A value at any offset within the view is loaded")
    func unalignedLoads() {
        [1, 0, 0, 0, 2, 0, 0, 0].withByteView { view in
            let loaded = (0...4).map { view.load(UInt32.self, at: $0) }
            #expect(loaded == [1, 0x0200_0000, 0x0002_0000, 0x0000_0200, 2])
        }
    }

    @Test("Views are equal if their bytes are", arguments: 0...20)
    func equality(count: Int) {
        let bytes = (0..<UInt8(count)).map(\.self)
        var other = bytes
        #expect(bytes.withByteView { view in other.withByteView { view == $0 } })
        for index in other.indices {
            other[index] ^= 0x80
            #expect(!bytes.withByteView { view in other.withByteView { view == $0 } })
            other[index] ^= 0x80
        }
        other.append(0)
        #expect(!bytes.withByteView { view in other.withByteView { view == $0 } })
    }

    @Test("Committed bytes of a segment are the bytes that were copied there")
    func segmentBytes() {
        let memory = SegmentMemory(count: 64)
        memory.clear()
        [1, 2, 3].withByteView { memory.copy($0, to: 61) }
        memory.publish(UInt32(7), at: 4)
        #expect(memory.withBytes(in: 60..<64) { $0.array } == [0, 1, 2, 3])
        #expect(memory.withBytes(in: 4..<8) { $0.load(UInt32.self, at: 0) } == 7)
    }
}
