import TelemetryModels
import TelemetrySystem

/// Rewrites a segment without some events, so that each batch can still be located.
///
/// The segment is read twice, in chunks: once to find the remaining lines, once to write them. Only offsets are in memory.
struct SegmentRewriter {
    struct Counts {
        /// Events in the journal: removed, and kept.
        var removed = 0
        var kept = 0
        /// Unreadable lines, and all lines without a journal entry.
        var unreadable = 0
    }

    /// Some lines of the old file, and their original offset.
    private struct Extent {
        var batch: JournalBatch
        var place: Range<UInt64>
        var isJournaled: Bool
        /// The offset of the header that applies to the first line, or zero; nil if the previous header still applies.
        var header: UInt64?
    }

    /// A run of the new file, and the bytes of the old file that it is made of.
    struct Part {
        var run: SegmentRun
        var place: Range<UInt64>
        /// The offset in the old file of the first line's header, or zero; nil if the bytes are copied unchanged.
        var header: UInt64?
    }

    private let client: String
    let file: OpenFile
    private let fileSize: UInt64
    private let old: SegmentMap
    let filter: TelemetryEventFilter
    let firstLine = SegmentForm.inRuns.firstLine
    private(set) var counts = Counts()
    /// Whether selected lines without a journal entry were removed.
    private(set) var hasRemovedUnjournaled = false
    private(set) var parts: [Part] = []
    /// The size of the new file so far.
    private var size: UInt64
    /// The headers' offsets in the new file, by their offsets in the old one.
    private var headers: [UInt64: UInt64] = [:]
    /// The last header that was looked up, which usually applies to the next batch as well.
    private var lastContext: (header: UInt64, context: EventContext?) = (0, nil)
    /// Consecutive unchanged batches as one run: their location in the old file, and the headers among them.
    private var pending: (run: SegmentRun, place: Range<UInt64>, headers: [UInt64], batchHeader: UInt64)?

    /// Finds the remaining lines.
    init(
        client: String, file: OpenFile, map: SegmentMap, batches: [JournalBatch], without filter: TelemetryEventFilter
    ) throws(FileError) {
        self.client = client
        self.file = file
        self.filter = filter
        old = map
        fileSize = try file.status().size
        size = UInt64(firstLine.count)
        counts.unreadable += old.lost.count
        var decoder = decoder()
        var header: UInt64 = 0
        for extent in extents(of: batches) { try add(extent, &decoder, &header) }
        flush()
    }

    func decoder() -> EventLineDecoder { EventLineDecoder(directory: client) }

    /// The batches, and the lines between them, in the order of the file.
    private func extents(of batches: [JournalBatch]) -> [Extent] {
        var extents: [Extent] = []
        for batch in batches {
            guard let place = old.place(of: batch), place.lowerBound < fileSize else { continue }
            let range = place.lowerBound..<min(place.upperBound, fileSize)
            if range.isEmpty || range.lowerBound < extents.last?.place.upperBound ?? 0 { continue }
            extents.append(Extent(batch: batch, place: range, isJournaled: true, header: old.header(of: batch) ?? 0))
        }
        return withGaps(extents)
    }

    /// Adds the lines between the batches, which have no journal entry.
    private func withGaps(_ extents: [Extent]) -> [Extent] {
        var all: [Extent] = []
        var rest = extents[...]
        for run in regions() {
            var (offset, start) = (run.offset, run.start)
            let end = run.start + run.size
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
                all.append(gap(offset, end - start, start..<end))
            }
        }
        return all + rest
    }

    /// The runs of the file; if it has none, everything after the first line.
    private func regions() -> [SegmentRun] {
        if old.form == .inRuns { return (old.runs.filter { $0.size > 0 } + old.lost).sorted { $0.start < $1.start } }
        let start = min(UInt64(old.form.firstLine.count), fileSize)
        let size = fileSize - start
        return size > 0 ? [SegmentRun(offset: start, byteCount: size, header: 0, start: start, size: size)] : []
    }

    private func gap(_ offset: UInt64, _ byteCount: UInt64, _ place: Range<UInt64>, header: UInt64? = nil) -> Extent {
        let batch = JournalBatch(
            client: client, segment: "", headerOffset: offset, headerLine: 0, offset: offset, line: 0, byteCount: byteCount,
            lineCount: 0, eventCount: 0)
        return Extent(batch: batch, place: place, isJournaled: false, header: header)
    }

    private mutating func add(_ extent: Extent, _ decoder: inout EventLineDecoder, _ header: inout UInt64) throws(FileError) {
        if let known = extent.header {
            header = known
            decoder.context = try context(at: header)
        }
        let firstHeader = header
        // The offsets of headers in the old file, and among the remaining bytes.
        var found: [(old: UInt64, new: UInt64)] = []
        var (removed, kept) = (0, 0)
        var (bytesLeft, hasText) = (0 as UInt64, false)
        var lines = FileLines(file, extent.place)
        while let line = try lines.next() {
            let context = decoder.context
            var isRemoved = false
            switch decoder.decode(line, of: lines) {
            case .event(let event) where filter.matches(event):
                isRemoved = true
                removed += 1
            case .event: kept += 1
            case .corrupt: counts.unreadable += 1
            case .header, .nothing: break
            }
            if decoder.context !== context {
                header = decoder.context == nil ? 0 : line.offset
                if header > 0 { found.append((header, bytesLeft)) }
            }
            bytesLeft += isRemoved ? (line.hasFeed ? 1 : 0) : line.end - line.offset
            if !isRemoved, line.end - line.offset > (line.hasFeed ? 1 : 0) { hasText = true }
        }
        if extent.isJournaled {
            counts.removed += removed
            counts.kept += kept
        } else {
            counts.unreadable += kept
            if removed > 0 { hasRemovedUnjournaled = true }
        }
        let isUntouched = removed == 0 && UInt64(extent.place.count) == extent.batch.byteCount
        if isUntouched, extend(with: extent, found.map(\.old)) { return }
        flush()
        var run = SegmentRun(
            offset: extent.batch.offset, byteCount: extent.batch.byteCount, header: firstHeader, size: bytesLeft)
        if isUntouched {
            pending = (run, extent.place, found.map(\.old), extent.batch.headerOffset)
        } else if hasText {
            run.header = headers[firstHeader] ?? 0
            let start = append(Part(run: run, place: extent.place, header: firstHeader))
            for (old, new) in found { headers[old] = start + new }
        }
    }

    /// Adds an unchanged batch to the pending ones. Returns false if it does not follow them directly or has another header.
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

    private mutating func flush() {
        guard var known = pending else { return }
        pending = nil
        known.run.header = headers[known.run.header] ?? 0
        let start = append(Part(run: known.run, place: known.place))
        for header in known.headers { headers[header] = start + header - known.place.lowerBound }
    }

    /// Returns the offset of the part's bytes in the new file.
    private mutating func append(_ part: Part) -> UInt64 {
        let line = ByteBuffer()
        part.run.append(to: line)
        parts.append(part)
        let start = size + UInt64(line.count)
        size = start + part.run.size
        return start
    }

    mutating func context(at header: UInt64) throws(FileError) -> EventContext? {
        guard header > 0, header < fileSize else { return nil }
        if lastContext.header == header { return lastContext.context }
        var decoder = decoder()
        var lines = FileLines(file, header..<min(fileSize, header + UInt64(FileLines.maximumLineBytes)))
        if let line = try lines.next() { _ = decoder.decode(line, of: lines) }
        lastContext = (header, decoder.context)
        return decoder.context
    }
}
