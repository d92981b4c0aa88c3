import Foundation
import TelemetryModels

/// Reads the segment of a dead session, whose content may be damaged.
enum SegmentRecovery {
    /// Consecutive waiting events of one client.
    struct Run {
        let clientId: String?
        let firstSequence: UInt64
        /// When the first event was logged, in seconds since 2001.
        let begin: Double
        /// No event was logged before this time; nil if that is unknown.
        var begun: BootTime?
        /// The offsets of the events' frames.
        var frames: Range<Int>
        var count = 0

        /// The run with `now` as its earliest time if its events have timestamps of a clock that was not set and the time that
        /// they waited is unknown.
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
        /// When the last event was logged, which may have been delivered, in seconds since 2001.
        var lastLogged = -Double.infinity
        /// The number of events whose frames are incomplete or damaged, or follow such a frame.
        var damaged = 0
    }

    /// The maximum number of runs that are read; the events after them count as damaged. A logger does not change its client as often while
    /// a segment fills up.
    static let maximumRuns = 64

    /// - Parameter bytes: A copy of the file's bytes. Frames after the first damaged one are ignored.
    static func read(_ bytes: ByteView) -> FileReading<Recovered> {
        switch SegmentHeader.read(bytes) {
        case .empty: return .empty
        case .corrupt: return .corrupt
        case .content(let header): return .content(scan(bytes, header))
        }
    }

    private static func scan(_ bytes: ByteView, _ header: SegmentHeader.Content) -> Recovered {
        var recovered = Recovered(session: header.session, ordinal: header.ordinal)
        var decoder = FrameDecoder(session: header.session, clientId: nil, firstSequence: header.firstSequence)
        var offset = header.start
        var none: [TelemetryEvent] = []
        while let length = FrameDecoder.length(at: offset, in: bytes) {
            let frame = bytes[offset..<(offset + length)]
            // Events are decoded when they are delivered. Only their client and number are needed here.
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
            // The end of delivery; an offset that is not the end of a frame is ignored.
            if offset == header.consumed { recovered.runs = [] }
        }
        recovered.damaged = countEvents(from: offset, in: bytes)
        return recovered
    }

    /// The number of events from the first damaged frame on. They are not used, because a damaged definition may have stated
    /// their client.
    private static func countEvents(from start: Int, in bytes: ByteView) -> Int {
        var count = 0
        var offset = start
        while let stored = bytes.load(UInt32.self, at: offset), stored != 0 {
            guard let length = FrameDecoder.length(at: offset, in: bytes), length & 3 == 0 else { return count + 1 }
            let frame = bytes[offset..<(offset + length)]
            if !FrameDecoder.isDefinition(frame) { count += 1 }
            offset += length
        }
        return count
    }

    /// Copies a run to a segment of its own, with only as much memory as it needs.
    /// - Parameter bytes: The bytes that contain the run.
    static func segment(of run: Run, in recovered: Recovered, bytes: ByteView, file: SpoolFile) -> CaptureSegment {
        let definition = FrameEncoding.definition(clientId: run.clientId, begun: run.begun)
        let size = SegmentHeader.maximumBytes + definition.count + run.frames.count + Frame.terminatorBytes
        let memory = SegmentMemory(count: size, file: file)
        memory.clear()
        let start = SegmentHeader.write(
            to: memory, session: recovered.session, firstSequence: run.firstSequence, ordinal: recovered.ordinal)
        var segment = CaptureSegment(
            memory: memory, session: recovered.session, start: start, firstSequence: run.firstSequence, begun: run.begun)
        segment.appendDefinition(definition)
        segment.appendFrames(bytes[run.frames], events: run.count)
        return segment
    }

    private static func isWhole(_ frame: ByteView, sequence: UInt64) -> Bool {
        guard frame.count >= Frame.headerBytes, frame.count & 3 == 0 else { return false }
        let body = frame[Frame.headerBytes..<frame.count].hash(seed: Frame.checksumSeed)
        return frame.load(UInt32.self, at: 4) == Frame.checksum(body, sequence: sequence)
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
        lastLogged = max(lastLogged, logged)
        return true
    }
}
