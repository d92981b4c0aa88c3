import TelemetryModels

/// Tells anew of what the segments hold, for a journal that was lost.
struct JournalRebuilder {
    private static let eventsPerBatch: UInt64 = 512

    let layout: StoreLayout
    let system: FileSystem

    /// A batch for each piece of each segment, the segment that was written to longest ago first.
    func batches() throws(FileError) -> [EventBatch] {
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
        var batches: [EventBatch] = []
        for segment in segments { batches += try self.batches(of: segment.segment, client: segment.client) }
        return batches
    }

    private func clients() throws(FileError) -> [String] {
        do { return try system.directories(in: layout.events) } catch  where error.isNotFound { return [] }
    }

    private func batches(of segment: String, client: String) throws(FileError) -> [EventBatch] {
        guard let bytes = try system.contents(of: "\(layout.client(directory: client))/\(segment).jsonl") else { return [] }
        let map = SegmentMap(form: SegmentForm(ofSegment: bytes), bytes: bytes)
        var decoder = EventLineDecoder(directory: client, needsChecksums: map.form.hasChecksums)
        var maker = BatchMaker(client: client, segment: segment)
        bytes.withUnsafeBufferPointer { bytes in
            guard map.form.layout == .inRuns else {
                return maker.add(
                    SegmentRun(offset: 0, byteCount: 0, header: 0, start: 0, size: UInt64(bytes.count)), bytes, &decoder)
            }
            for run in map.runs {
                decoder.context = nil
                if run.header > 0, run.header < UInt64(bytes.count), let end = bytes.lineFeed(from: Int(run.header)) {
                    _ = decoder.decode(UnsafeBufferPointer(rebasing: bytes[Int(run.header)..<end]))
                }
                maker.add(run, bytes, &decoder)
            }
        }
        return maker.batches
    }

    /// Cuts lines into batches.
    private struct BatchMaker {
        let client: String
        let segment: String
        var batches: [EventBatch] = []
        private var line: UInt64 = 0

        init(client: String, segment: String) {
            self.client = client
            self.segment = segment
        }

        mutating func add(_ run: SegmentRun, _ bytes: UnsafeBufferPointer<UInt8>, _ decoder: inout EventLineDecoder) {
            // Of a run in which something was deleted, the whole only can be found again.
            let isWhole = run.byteCount > 0 && !run.isComplete
            var header: (offset: UInt64, line: UInt64) = (run.header > 0 ? 0 : run.offset, 0)
            var batch: EventBatch?
            let end = Int(run.start + run.size)
            var start = Int(run.start)
            while start < end, let feed = bytes.lineFeed(from: start), feed < end {
                let kind = decoder.decode(UnsafeBufferPointer(rebasing: bytes[start..<feed]))
                let offset = run.offset + UInt64(start) - run.start
                if case .header = kind, !isWhole { header = (offset, line) }
                var current =
                    batch
                    ?? EventBatch(
                        client: client, segment: segment, headerOffset: header.offset, headerLine: header.line,
                        offset: offset, line: line, byteCount: 0, lineCount: 0, eventCount: 0)
                current.byteCount += UInt64(feed + 1 - start)
                current.lineCount += 1
                if case .event = kind { current.eventCount += 1 }
                batch = current
                if current.eventCount >= JournalRebuilder.eventsPerBatch, !isWhole {
                    batches.append(current)
                    batch = nil
                }
                start = feed + 1
                line += 1
            }
            guard var batch, batch.eventCount > 0 else { return }
            if isWhole { batch.byteCount = run.byteCount }
            batches.append(batch)
        }
    }
}
