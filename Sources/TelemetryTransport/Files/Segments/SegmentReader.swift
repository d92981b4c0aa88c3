import TelemetryModels

/// Reads the events of batches out of segments, and keeps the files that it read last open.
final class SegmentReader {
    private static let openFiles = 16

    private final class Segment {
        let file: OpenFile
        let isRewritten: Bool
        var headers: [UInt64: EventContext] = [:]
        /// Where each line begins, once that was needed.
        var lineOffsets: [UInt64]?
        var lastUse: UInt64 = 0

        init(file: OpenFile, isRewritten: Bool) {
            self.file = file
            self.isRewritten = isRewritten
        }
    }

    private let layout: StoreLayout
    private let system: FileSystem
    private let diagnostics: TelemetryDiagnosticsHandler?
    private var segments: [String: Segment] = [:]
    private var uses: UInt64 = 0

    init(layout: StoreLayout, system: FileSystem, diagnostics: TelemetryDiagnosticsHandler?) {
        self.layout = layout
        self.system = system
        self.diagnostics = diagnostics
    }

    /// Forgets every open file, for want of descriptors.
    func close() { segments.removeAll() }

    /// Calls `body` for each event of the batch that is still there, from a line of it on, until it returns false.
    ///
    /// - Returns: How many lines of the batch were read; nil where the segment is gone.
    func read(
        _ batch: EventBatch, fromLine first: UInt64 = 0, _ body: (consuming TelemetryEvent) throws -> Bool
    ) throws -> UInt64? {
        guard let segment = try segment(of: batch) else { return nil }
        var decoder = EventLineDecoder(directory: batch.client)
        if batch.headerLine < batch.line { decoder.context = try header(of: batch, in: segment) }
        var linesRead: UInt64 = 0
        let bytes = try lines(of: batch, in: segment)
        try bytes.withUnsafeBufferPointer { bytes in
            var start = 0
            while linesRead < batch.lineCount, start < bytes.count {
                let end = bytes.lineFeed(from: start) ?? bytes.count
                let line = decoder.decode(UnsafeBufferPointer(rebasing: bytes[start..<end]))
                start = end + 1
                linesRead += 1
                guard linesRead > first else { continue }
                switch consume line {
                case .event(let event): if try !body(event) { return }
                case .corrupt: tell(of: batch, line: batch.line + linesRead)
                case .header, .nothing: break
                }
            }
            if start >= bytes.count {
                if linesRead < batch.lineCount { tell(of: batch, line: batch.line + linesRead + 1) }
                linesRead = batch.lineCount
            }
        }
        return linesRead
    }

    private func tell(of batch: EventBatch, line: UInt64) {
        let path = "\(layout.client(directory: batch.client))/\(batch.segment).jsonl"
        diagnostics?(.init(kind: .corruptFile, message: "\(path) cannot be read at line \(line); the line is passed over."))
    }

    private func segment(of batch: EventBatch) throws(FileError) -> Segment? {
        let path = "\(layout.client(directory: batch.client))/\(batch.segment).jsonl"
        uses += 1
        if let known = segments[path] {
            known.lastUse = uses
            if try known.file.status().isLinked { return known }
            segments[path] = nil
        }
        if segments.count >= Self.openFiles, let oldest = segments.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            segments[oldest.key] = nil
        }
        do {
            let file = try system.open(path, for: .read)
            let plain = EventLineEncoder.preamble(isRewritten: false)
            let opened = Segment(file: file, isRewritten: try file.read(at: 0, count: plain.count) != plain)
            opened.lastUse = uses
            segments[path] = opened
            return opened
        } catch  where error.isNotFound { return nil }
    }

    private func header(of batch: EventBatch, in segment: Segment) throws(FileError) -> EventContext? {
        if let known = segment.headers[batch.headerLine] { return known }
        let offset = try offset(ofLine: batch.headerLine, writtenAt: batch.headerOffset, in: segment)
        var length = 1024
        while true {
            let bytes = try segment.file.read(at: offset, count: length)
            guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
                if bytes.count < length { return nil }
                length *= 8
                continue
            }
            var decoder = EventLineDecoder(directory: batch.client)
            _ = bytes.withUnsafeBufferPointer { decoder.decode(UnsafeBufferPointer(rebasing: $0[..<end])) }
            segment.headers[batch.headerLine] = decoder.context
            return decoder.context
        }
    }

    private func lines(of batch: EventBatch, in segment: Segment) throws(FileError) -> [UInt8] {
        guard segment.isRewritten else {
            return try segment.file.read(at: batch.offset, count: Int(clamping: batch.byteCount))
        }
        let start = try offset(ofLine: batch.line, writtenAt: batch.offset, in: segment)
        let end = try offset(ofLine: batch.line + batch.lineCount, writtenAt: batch.offset, in: segment)
        return try segment.file.read(at: start, count: Int(clamping: end - start))
    }

    /// A segment that was rewritten is searched for its line feeds, once.
    private func offset(
        ofLine line: UInt64, writtenAt offset: UInt64, in segment: Segment
    ) throws(FileError) -> UInt64 {
        guard segment.isRewritten else { return offset }
        let offsets: [UInt64]
        if let known = segment.lineOffsets {
            offsets = known
        } else {
            let bytes = try segment.file.read(at: 0, count: Int(clamping: segment.file.status().size))
            var found: [UInt64] = [0]
            for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") { found.append(UInt64(index + 1)) }
            segment.lineOffsets = found
            offsets = found
        }
        return line < UInt64(offsets.count) ? offsets[Int(line)] : offsets.last ?? 0
    }
}
