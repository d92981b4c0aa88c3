import Foundation
import TelemetryModels

/// Reads back what a dead session left in a segment, trusting nothing.
enum SegmentRecovery {
    /// Events that wait, follow one another and belong to one client.
    struct Run {
        let clientId: String?
        let firstSequence: UInt64
        /// When the first one was logged, in seconds since 2001.
        let begin: Double
        /// None of them was logged before; nil where that is not known.
        var begun: BootTime?
        /// Where their frames lie.
        var frames: Range<Int>
        var count = 0

        /// The same, its age counted from now on where its events bear the time of a clock that was not set, and how long they
        /// have waited is not known.
        func dated(_ now: BootTime) -> Run {
            guard begin < SegmentRecovery.earliestTime, begun.flatMap({ now.seconds(since: $0) }) == nil else { return self }
            var copy = self
            copy.begun = now
            return copy
        }
    }

    /// No event was logged before 1 January 2025, in seconds since 2001.
    static let earliestTime = 757_382_400.0

    struct Recovered {
        let session: Session
        let ordinal: UInt64
        /// In the order of their events.
        var runs: [Run] = []
        /// Events whose frames were begun and not finished, or damaged later, or are behind such a one.
        var damaged = 0
    }

    enum Reading {
        case recovered(Recovered)
        /// The file was never begun.
        case empty
        case corrupt
    }

    /// No logger changes its client so often while a segment fills up; what is behind counts as damaged.
    static let maximumRuns = 64

    /// - Parameter bytes: A copy of the file's; what is behind the first damaged frame is left out.
    static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
        switch SegmentHeader.read(bytes) {
        case .empty: return .empty
        case .corrupt: return .corrupt
        case .content(let header): return .recovered(scan(bytes, header))
        }
    }

    private static func scan(_ bytes: UnsafeRawBufferPointer, _ header: SegmentHeader.Content) -> Recovered {
        var recovered = Recovered(session: header.session, ordinal: header.ordinal)
        var decoder = FrameDecoder(session: header.session, clientId: nil, firstSequence: header.firstSequence)
        var offset = header.start
        var none: [TelemetryEvent] = []
        while let length = FrameDecoder.length(at: offset, in: bytes) {
            let frame = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)])
            // Events are decoded when they are delivered; here only whose they are and how many.
            if let logged = FrameDecoder.timestamp(ofEvent: frame) {
                guard isWhole(frame, sequence: decoder.sequence),
                    recovered.note(
                        offset..<(offset + length), clientId: decoder.clientId, begun: decoder.begun, sequence: decoder.sequence,
                        logged: logged)
                else { break }
                decoder.sequence &+= 1
            } else {
                guard isWhole(frame, sequence: Frame.definitionSequence), decoder.decode(frame, into: &none) else { break }
            }
            offset += length
            // Where delivery had come to; a number that is no frame's end is not believed.
            if offset == header.consumed { recovered.runs = [] }
        }
        recovered.damaged = countEvents(from: offset, in: bytes)
        return recovered
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

    /// A run as a segment of its own, in no more memory than it needs.
    /// - Parameter bytes: Those that the run was found in.
    static func segment(of run: Run, in recovered: Recovered, bytes: UnsafeRawBufferPointer, file: SpoolFile) -> CaptureSegment {
        let definition = FrameEncoding.definition(clientId: run.clientId, begun: run.begun)
        let size = SegmentHeader.maximumBytes + definition.count + run.frames.count + Frame.terminatorBytes
        let memory = SegmentMemory(.allocate(byteCount: size, alignment: 16), file: file) { $0.deallocate() }
        memory.base.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        let start = SegmentHeader.write(
            to: memory.base, session: recovered.session, firstSequence: run.firstSequence, ordinal: recovered.ordinal)
        var segment = CaptureSegment(
            memory: memory, session: recovered.session, start: start, firstSequence: run.firstSequence, begun: run.begun)
        segment.appendDefinition(definition)
        segment.appendFrames(UnsafeRawBufferPointer(rebasing: bytes[run.frames]), events: run.count)
        return segment
    }

    private static func isWhole(_ frame: UnsafeRawBufferPointer, sequence: UInt64) -> Bool {
        guard let base = frame.baseAddress, frame.count & 3 == 0 else { return false }
        let body = Frame.headerBytes
        return base.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
            == Frame.checksum(Frame.checksum(of: base + body, count: frame.count - body), sequence: sequence)
    }
}

extension SegmentRecovery.Recovered {
    /// Adds an event; false if there are too many runs.
    fileprivate mutating func note(
        _ frame: Range<Int>, clientId: String?, begun: BootTime?, sequence: UInt64, logged: Double
    ) -> Bool {
        if runs.isEmpty || runs[runs.count - 1].clientId != clientId {
            guard runs.count < SegmentRecovery.maximumRuns else { return false }
            runs.append(.init(clientId: clientId, firstSequence: sequence, begin: logged, begun: begun, frames: frame))
        }
        runs[runs.count - 1].frames = runs[runs.count - 1].frames.lowerBound..<frame.upperBound
        runs[runs.count - 1].count += 1
        return true
    }
}
