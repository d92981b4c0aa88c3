import TelemetryModels
import TelemetrySystem

/// Rebuilds a lost journal from the segments.
struct JournalRebuilder {
    private static let eventsPerBatch: UInt64 = 512

    let layout: StoreLayout
    let system: FileSystem

    /// The batches of every segment, the least recently written segment first.
    func batches() throws(FileError) -> [JournalBatch] {
        var segments: [(client: String, segment: String, modified: Int64)] = []
        for client in try clients() {
            for name in try system.list(layout.client(directory: client)) where name.hasSuffix(".jsonl") && !name.hasPrefix("-") {
                guard let status = try system.status("\(layout.client(directory: client))/\(name)") else { continue }
                segments.append((client, String(name.dropLast(6)), status.modified))
            }
        }
        segments.sort {
            ($0.modified, $0.client, ClientStore.number(of: $0.segment))
                < ($1.modified, $1.client, ClientStore.number(of: $1.segment))
        }
        var batches: [JournalBatch] = []
        for segment in segments { batches += try self.batches(of: segment.segment, client: segment.client) }
        return batches
    }

    private func clients() throws(FileError) -> [String] {
        do { return try system.directories(in: layout.events) } catch  where error.isNotFound { return [] }
    }

    private func batches(of segment: String, client: String) throws(FileError) -> [JournalBatch] {
        let file: OpenFile
        do { file = try system.open("\(layout.client(directory: client))/\(segment).jsonl", for: .read) } catch {
            guard error.isNotFound else { throw error }
            return []
        }
        let size = try file.status().size
        let map = try SegmentMap(form: SegmentForm(ofSegment: file.read(at: 0, count: SegmentForm.maximumBytes)), file: file)
        var decoder = EventLineDecoder(directory: client)
        var maker = BatchMaker(client: client, segment: segment)
        guard map.form == .inRuns else {
            try maker.add(SegmentRun(offset: 0, byteCount: 0, header: 0, start: 0, size: size), file, &decoder)
            return maker.batches
        }
        for run in map.runs {
            decoder.context = nil
            if run.header > 0, run.header < size {
                var lines = FileLines(file, run.header..<size)
                if let line = try lines.next(), line.hasFeed { _ = decoder.decode(line, of: lines) }
            }
            try maker.add(run, file, &decoder)
        }
        return maker.batches
    }

    /// Splits lines into batches.
    private struct BatchMaker {
        let client: String
        let segment: String
        var batches: [JournalBatch] = []
        private var line: UInt64 = 0

        init(client: String, segment: String) {
            self.client = client
            self.segment = segment
        }

        mutating func add(_ run: SegmentRun, _ file: OpenFile, _ decoder: inout EventLineDecoder) throws(FileError) {
            // A run with deleted lines can be located only as a whole.
            let isWhole = run.byteCount > 0 && !run.isComplete
            var header: (offset: UInt64, line: UInt64) = (run.header > 0 ? 0 : run.offset, 0)
            var batch: JournalBatch?
            var summary = BatchSummaryBuilder()
            var lines = FileLines(file, run.start..<run.start + run.size)
            while let next = try lines.next(), next.hasFeed {
                let kind = decoder.decode(next, of: lines)
                let offset = run.offset + next.offset - run.start
                if next.isTooLong, !isWhole {
                    // Excluded: a batch with this line would be too long as well.
                    add(batch, summary)
                    (batch, summary) = (nil, BatchSummaryBuilder())
                    line += 1
                    continue
                }
                if case .header = kind {
                    if !isWhole { header = (offset, line) }
                } else if next.offset == 0 {
                    // The segment's first line belongs to no batch: the first batch begins with its header.
                    line += 1
                    continue
                }
                var current =
                    batch
                    ?? JournalBatch(
                        client: client, segment: segment, headerOffset: header.offset, headerLine: header.line,
                        offset: offset, line: line, byteCount: 0, lineCount: 0, eventCount: 0)
                current.byteCount += next.end - next.offset
                current.lineCount += 1
                if case .event(let event) = kind {
                    current.eventCount += 1
                    withUnsafePointer(to: event) { summary.add($0) }
                }
                batch = current
                if current.eventCount >= JournalRebuilder.eventsPerBatch, !isWhole {
                    add(batch, summary)
                    (batch, summary) = (nil, BatchSummaryBuilder())
                }
                line += 1
            }
            if isWhole { batch?.byteCount = run.byteCount }
            add(batch, summary)
        }

        /// Adds a batch with its summary; a batch without events is left out.
        private mutating func add(_ batch: JournalBatch?, _ summary: BatchSummaryBuilder) {
            guard var batch, batch.eventCount > 0 else { return }
            batch.summary = summary.summary
            batches.append(batch)
        }
    }
}
