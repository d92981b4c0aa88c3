/// The header of a ring's file.
///
///     0  UInt64  magic number; written last: a file without it has no header yet
///     8  UInt64  the number of the oldest event; events with lower numbers are no longer in the ring
///    16  UInt64  key of the entries' checksums
///    24  UInt64  checksum of the key and the strings
///    32  UInt32  the number of bytes of the strings
///    36  …       strings: scenario, client
enum RingHeader {
    private static let magic: UInt64 = 0x3130_474E_4952_544C  // "LTRING01"
    private static let textsStart = 36
    /// Where the entries begin.
    static let bytes = 4_096
    /// The maximum number of bytes that a scenario's name or a client identifier has; a scenario with a longer name is not recorded.
    static let maximumNameBytes = 1_024

    struct Content: Equatable {
        let scenario: String
        let clientId: String
        let key: UInt64
        let first: UInt64
    }

    static func write(_ content: Content, to memory: SegmentMemory) {
        memory.store(UInt64(0), at: 0)
        let texts = FrameWriter.bytes(capacity: bytes - textsStart) { writer in
            writer.write(text: content.scenario)
            writer.write(text: content.clientId)
        }
        setFirst(content.first, in: memory)
        memory.store(content.key, at: 16)
        memory.store(UInt32(texts.count), at: 32)
        texts.withByteView {
            memory.store($0.hash(seed: content.key), at: 24)
            memory.copy($0, to: textsStart)
        }
        memory.publish(magic, at: 0)
    }

    @inline(__always)
    static func setFirst(_ number: UInt64, in memory: SegmentMemory) { memory.publish(number, at: 8) }

    static func read(_ file: ByteView) -> FileReading<Content> {
        guard file.count >= bytes, let found = file.load(UInt64.self, at: 0), let first = file.load(UInt64.self, at: 8),
            let key = file.load(UInt64.self, at: 16), let checksum = file.load(UInt64.self, at: 24),
            let count = file.load(UInt32.self, at: 32)
        else { return file.areZero ? .empty : .corrupt }
        if found == 0 { return .empty }
        guard found == magic, count <= bytes - textsStart else { return .corrupt }
        let texts = file[textsStart..<(textsStart + Int(count))]
        var reader = FrameReader(texts)
        guard texts.hash(seed: key) == checksum, let scenario = reader.readText(), let clientId = reader.readText()
        else { return .corrupt }
        return .content(Content(scenario: scenario, clientId: clientId, key: key, first: first))
    }
}
