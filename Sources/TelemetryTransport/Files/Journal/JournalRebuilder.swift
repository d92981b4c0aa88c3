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
        var batches: [EventBatch] = []
        var decoder = EventLineDecoder(directory: client)
        var header: (offset: UInt64, line: UInt64) = (0, 0)
        var batch: EventBatch?
        var line: UInt64 = 0
        bytes.withUnsafeBufferPointer { bytes in
            var start = 0
            while let end = bytes.lineFeed(from: start) {
                let kind = decoder.decode(UnsafeBufferPointer(rebasing: bytes[start..<end]))
                if case .header = kind { header = (UInt64(start), line) }
                var current =
                    batch
                    ?? EventBatch(
                        client: client, segment: segment, headerOffset: header.offset, headerLine: header.line,
                        offset: UInt64(start), line: line, byteCount: 0, lineCount: 0, eventCount: 0)
                current.byteCount += UInt64(end + 1 - start)
                current.lineCount += 1
                if case .event = kind { current.eventCount += 1 }
                batch = current
                if current.eventCount >= Self.eventsPerBatch {
                    batches.append(current)
                    batch = nil
                }
                start = end + 1
                line += 1
            }
        }
        if let batch, batch.eventCount > 0 { batches.append(batch) }
        return batches
    }
}
