import Foundation
import TelemetryModels

/// Reads back what a dead session left in a segment, trusting nothing.
enum SegmentRecovery {
    struct Recovered {
        var segment: Segment
        let ordinal: UInt64
        /// Events whose frames were begun and not finished, or damaged later, or are behind such a one.
        let damaged: Int
        /// When the first event that waits was logged, in seconds since 2001.
        let begin: Double
    }

    enum Reading {
        case recovered(Recovered)
        /// The file was never begun.
        case empty
        case corrupt
    }

    /// - Parameter memory: A copy of the file's bytes; what is behind the first damaged frame is left out.
    static func read(_ memory: SegmentMemory) -> Reading {
        let bytes = UnsafeRawBufferPointer(start: memory.base, count: memory.count)
        switch SegmentHeader.read(bytes) {
        case .empty: return .empty
        case .corrupt: return .corrupt
        case .content(let header): return .recovered(scan(memory, bytes, header))
        }
    }

    private static func scan(
        _ memory: SegmentMemory, _ bytes: UnsafeRawBufferPointer, _ header: SegmentHeader.Content
    ) -> Recovered {
        var segment = Segment(
            recovered: memory, session: header.session, start: header.start, firstSequence: header.firstSequence)
        var decoder = FrameDecoder(session: header.session, clientId: nil, firstSequence: header.firstSequence)
        var offset = header.start
        var begin: Double?
        var none: [TelemetryEvent] = []
        while let length = FrameDecoder.length(at: offset, in: bytes) {
            let frame = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)])
            // Events are decoded when they are delivered; here only whose they are and how many.
            if let logged = FrameDecoder.timestamp(ofEvent: frame) {
                guard isWhole(frame, sequence: decoder.sequence) else { break }
                decoder.sequence &+= 1
                segment.waiting += 1
                begin = begin ?? logged
            } else {
                guard isWhole(frame, sequence: Frame.definitionSequence), decoder.decode(frame, into: &none) else { break }
            }
            offset += length
            // Where delivery had come to; a number that is no frame's end is not believed.
            if offset == header.consumed {
                segment.consumed = offset
                segment.firstSequence = decoder.sequence
                segment.waiting = 0
                begin = nil
                segment.clientAtConsumed = decoder.clientId
            }
        }
        segment.committed = offset
        return Recovered(
            segment: segment, ordinal: header.ordinal, damaged: countEvents(from: offset, in: bytes), begin: begin ?? 0)
    }

    /// How many events lie behind the first damaged frame, with it. They are not used: a damaged definition may have said whose
    /// they are.
    private static func countEvents(from start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        var offset = start
        while offset <= bytes.count - Frame.terminatorBytes,
            bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self) != 0
        {
            guard let length = FrameDecoder.length(at: offset, in: bytes), length & 3 == 0 else { return count + 1 }
            let frame = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)])
            if !FrameDecoder.isDefinition(frame) { count += 1 }
            offset += length
        }
        return count
    }

    /// The same events in no more memory than they need.
    static func trimmed(_ segment: Segment, file: SpoolFile) -> Segment {
        let memory = SegmentMemory(
            UnsafeMutableRawBufferPointer.allocate(byteCount: segment.committed, alignment: 16), file: file
        ) { $0.deallocate() }
        memory.base.copyMemory(from: segment.memory.base, byteCount: segment.committed)
        var copy = Segment(
            recovered: memory, session: segment.session, start: segment.start, firstSequence: segment.firstSequence)
        copy.consumed = segment.consumed
        copy.committed = segment.committed
        copy.waiting = segment.waiting
        copy.clientAtConsumed = segment.clientAtConsumed
        return copy
    }

    private static func isWhole(_ frame: UnsafeRawBufferPointer, sequence: UInt64) -> Bool {
        guard let base = frame.baseAddress, frame.count & 3 == 0 else { return false }
        let body = Frame.headerBytes
        return base.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
            == Frame.checksum(Frame.checksum(of: base + body, count: frame.count - body), sequence: sequence)
    }
}
