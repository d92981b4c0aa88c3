import TelemetryModels

/// Makes of a segment's bytes what is left of them without some events, so that each batch is found as before.
package struct SegmentRewriter {
    package struct Counts {
        /// Events that the journal tells of: removed, and left.
        package var removed = 0
        package var kept = 0
        /// Lines that cannot be read, and all that the journal does not tell of.
        package var unreadable = 0
    }

    /// Some lines of the old file, and where they stood when they were written.
    private struct Extent {
        var batch: EventBatch
        var place: Range<Int>
        var isTold: Bool
        /// Where the header stands that the first line is below, or zero; nil where the one above holds on.
        var header: UInt64?
    }

    private let client: String
    private let old: SegmentMap
    private let selection: EventSelection
    package private(set) var counts = Counts()
    /// Whether lines that match were removed that the journal does not tell of.
    package private(set) var hasRemovedUntold = false
    package let buffer: ByteBuffer
    /// Where the headers of the old file stand in the new one.
    private var headers: [UInt64: UInt64] = [:]
    /// Batches that stay as they are and follow each other: where they lie in the old file, and the headers among them.
    private var pending: (run: SegmentRun, place: Range<Int>, headers: [UInt64], batchHeader: UInt64)?

    package init(client: String, bytes: [UInt8], map: SegmentMap, batches: [EventBatch], without selection: EventSelection) {
        self.client = client
        self.selection = selection
        old = map
        buffer = ByteBuffer(capacity: bytes.count + 256)
        SegmentForm(layout: .inRuns, hasChecksums: old.form.hasChecksums).firstLine.withUnsafeBytes { buffer.append($0) }
        counts.unreadable += old.lost.count
        let extents = extents(of: batches, in: bytes)
        bytes.withUnsafeBufferPointer { bytes in
            var decoder = decoder()
            var header: UInt64 = 0
            for extent in extents { rewrite(extent, bytes, &decoder, &header) }
            flush(bytes)
        }
    }

    private func decoder() -> EventLineDecoder {
        EventLineDecoder(directory: client, needsChecksums: old.form.hasChecksums)
    }

    /// The batches, and what lies between them, in the order of the file.
    private func extents(of batches: [EventBatch], in bytes: [UInt8]) -> [Extent] {
        var extents: [Extent] = []
        for batch in batches {
            guard let place = old.place(of: batch), place.lowerBound < UInt64(bytes.count) else { continue }
            let range = Int(place.lowerBound)..<Int(min(place.upperBound, UInt64(bytes.count)))
            if range.isEmpty || range.lowerBound < extents.last?.place.upperBound ?? 0 { continue }
            extents.append(Extent(batch: batch, place: range, isTold: true, header: old.header(of: batch) ?? 0))
        }
        return withGaps(extents, in: bytes)
    }

    /// Adds what lies between the batches: lines that the journal does not tell of, or not any more.
    private func withGaps(_ extents: [Extent], in bytes: [UInt8]) -> [Extent] {
        var all: [Extent] = []
        var rest = extents[...]
        for run in regions(in: bytes) {
            var (offset, start) = (run.offset, Int(run.start))
            let end = Int(run.start + run.size)
            let isEmpty = rest.first.map { $0.place.lowerBound >= end } ?? true
            while let next = rest.first, next.place.lowerBound < end {
                rest.removeFirst()
                let bytesBefore = next.batch.offset - min(next.batch.offset, offset)
                if run.isComplete, start < next.place.lowerBound {
                    all.append(gap(offset, bytesBefore, start..<next.place.lowerBound))
                }
                all.append(next)
                (offset, start) = (next.batch.offset + next.batch.byteCount, max(start, next.place.upperBound))
            }
            if isEmpty {
                all.append(gap(run.offset, run.byteCount, start..<end, header: run.header))
            } else if run.isComplete, start < end {
                all.append(gap(offset, UInt64(end - start), start..<end))
            }
        }
        return all + rest
    }

    /// The runs of the file; all of it behind the first line where it has none.
    private func regions(in bytes: [UInt8]) -> [SegmentRun] {
        if old.form.layout == .inRuns { return (old.runs.filter { $0.size > 0 } + old.lost).sorted { $0.start < $1.start } }
        let start = UInt64(min(old.form.firstLine.count, bytes.count))
        let size = UInt64(bytes.count) - start
        return size > 0 ? [SegmentRun(offset: start, byteCount: size, header: 0, start: start, size: size)] : []
    }

    private func gap(_ offset: UInt64, _ byteCount: UInt64, _ place: Range<Int>, header: UInt64? = nil) -> Extent {
        let batch = EventBatch(
            client: client, segment: "", headerOffset: offset, headerLine: 0, offset: offset, line: 0, byteCount: byteCount,
            lineCount: 0, eventCount: 0)
        return Extent(batch: batch, place: place, isTold: false, header: header)
    }

    private mutating func rewrite(
        _ extent: Extent, _ bytes: UnsafeBufferPointer<UInt8>, _ decoder: inout EventLineDecoder, _ header: inout UInt64
    ) {
        if let known = extent.header {
            header = known
            decoder.context = context(at: header, bytes)
        }
        let firstHeader = header
        let lines = ByteBuffer(capacity: extent.place.count)
        // Where headers stand in the old file, and among the lines that are kept.
        var found: [(old: UInt64, new: Int)] = []
        var removed = 0
        var kept = 0
        var start = extent.place.lowerBound
        while start < extent.place.upperBound {
            let feed = bytes.lineFeed(from: start).flatMap { $0 < extent.place.upperBound ? $0 : nil }
            let end = feed ?? extent.place.upperBound
            let line = UnsafeBufferPointer(rebasing: bytes[start..<end])
            var isRemoved = false
            let context = decoder.context
            switch decoder.decode(line) {
            case .event(let event) where selection.includes(event):
                isRemoved = true
                removed += 1
            case .event: kept += 1
            case .corrupt: counts.unreadable += 1
            case .header, .nothing: break
            }
            if decoder.context !== context {
                header = decoder.context == nil ? 0 : UInt64(start)
                if header > 0 { found.append((header, lines.count)) }
            }
            if !isRemoved { lines.append(line) }
            if feed != nil { lines.append(UInt8(ascii: "\n")) }
            start = end + 1
        }
        if extent.isTold {
            counts.removed += removed
            counts.kept += kept
        } else {
            counts.unreadable += kept
            if removed > 0 { hasRemovedUntold = true }
        }
        let isUntouched = removed == 0 && UInt64(extent.place.count) == extent.batch.byteCount
        if isUntouched, extend(with: extent, found.map(\.old)) { return }
        flush(bytes)
        var run = SegmentRun(
            offset: extent.batch.offset, byteCount: extent.batch.byteCount, header: firstHeader, size: UInt64(lines.count))
        if isUntouched {
            pending = (run, extent.place, found.map(\.old), extent.batch.headerOffset)
            return
        }
        // Nothing but empty lines.
        if lines.bytes.allSatisfy({ $0 == UInt8(ascii: "\n") }) { return }
        run.header = headers[firstHeader] ?? 0
        run.append(to: buffer)
        for (old, new) in found { headers[old] = UInt64(buffer.count + new) }
        buffer.append(lines.bytes)
    }

    /// Adds a batch that stays as it is to those before it; false where it does not follow them, or stands below another header.
    private mutating func extend(with extent: Extent, _ headers: [UInt64]) -> Bool {
        guard var known = pending, known.run.end == extent.batch.offset, known.place.upperBound == extent.place.lowerBound,
            extent.batch.headerOffset >= known.run.offset || extent.batch.headerOffset == known.batchHeader
        else { return false }
        known.run.byteCount += extent.batch.byteCount
        known.run.size += extent.batch.byteCount
        known.place = known.place.lowerBound..<extent.place.upperBound
        known.headers += headers
        pending = known
        return true
    }

    private mutating func flush(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard var known = pending else { return }
        pending = nil
        known.run.header = headers[known.run.header] ?? 0
        known.run.append(to: buffer)
        for header in known.headers { headers[header] = UInt64(buffer.count + Int(header) - known.place.lowerBound) }
        buffer.append(UnsafeBufferPointer(rebasing: bytes[known.place]))
    }

    private func context(at header: UInt64, _ bytes: UnsafeBufferPointer<UInt8>) -> EventContext? {
        guard header > 0, header < UInt64(bytes.count) else { return nil }
        var decoder = decoder()
        let end = bytes.lineFeed(from: Int(header)) ?? bytes.count
        _ = decoder.decode(UnsafeBufferPointer(rebasing: bytes[Int(header)..<end]))
        return decoder.context
    }
}
