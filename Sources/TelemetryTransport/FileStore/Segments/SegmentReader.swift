@_spi(Tooling) import TelemetryModels
import TelemetrySystem

/// Reads the events of batches from segments; keeps recently read files open.
final class SegmentReader {
    private static let openFiles = 16
    /// The number of headers kept for each open file.
    private static let headersKept = 64
    private static let damagedPlacesKept = 10_000
    /// The longest valid header.
    private static let maximumHeaderBytes = 8 << 20

    private final class OpenSegment {
        let file: OpenFile
        let map: SegmentMap
        var headers: [UInt64: EventContext] = [:]
        var lastUse: UInt64 = 0

        init(file: OpenFile) throws(FileError) {
            self.file = file
            let first = try file.read(at: 0, count: SegmentForm.maximumBytes)
            let form = SegmentForm(ofSegment: first)
            map = try SegmentMap(form: form, file: file)
        }
    }

    /// The result of reading a batch.
    enum ReadExtent: Equatable {
        /// The segment does not exist any more.
        case gone
        case complete
        /// Reading was stopped after this number of lines of the batch.
        case stopped(lines: UInt64)
    }

    /// Where reading stopped within a batch, so that the next page need not read the lines before.
    private struct Bookmark {
        let file: OpenFile
        let offset: UInt64
        let linesRead: UInt64
        let lines: FileLines
        let decoder: EventLineDecoder
    }

    private var bookmark: Bookmark?
    private let layout: StoreLayout
    private let system: FileSystem
    private let diagnostics: TelemetryDiagnosticsHandler?
    private var segments: [String: OpenSegment] = [:]
    private var uses: UInt64 = 0
    /// Unreadable places, and the clients of those found since the last call.
    private var damagedPlaces: Set<String> = []
    private var damagedClients: Set<String> = []

    init(layout: StoreLayout, system: FileSystem, diagnostics: TelemetryDiagnosticsHandler?) {
        self.layout = layout
        self.system = system
        self.diagnostics = diagnostics
    }

    /// Whether unreadable lines of the client were found, so that its readable events have to be counted again.
    func takeDamage(ofClient name: String) -> Bool { damagedClients.remove(name) != nil }

    /// Makes the next count of the client's events read them, once for each damaged place.
    func noteDamage(ofClient name: String, at place: String) {
        if damagedPlaces.count >= Self.damagedPlacesKept { damagedPlaces.removeAll() }
        if damagedPlaces.insert("\(name) \(place)").inserted { damagedClients.insert(name) }
    }

    /// Closes every file, to free descriptors.
    func close() {
        segments.removeAll()
        bookmark = nil
    }

    /// The header of a batch in an unchanged segment; nil if it cannot be read.
    func context(of batch: JournalBatch) throws(FileError) -> EventContext? {
        guard let segment = try segment(of: batch), segment.map.form == .asWritten else { return nil }
        return try context(at: batch.headerOffset, of: batch, in: segment)
    }

    /// Calls `body` for each remaining matching event of the batch after its first `first` lines, until `body` returns false.
    ///
    /// - Parameter end: The number of lines of the batch to read at most.
    @discardableResult
    func read(
        _ batch: JournalBatch, matching filter: TelemetryEventFilter, fromLine first: UInt64 = 0, upToLine end: UInt64 = .max,
        _ body: (consuming TelemetryEvent) throws -> Bool
    ) throws -> ReadExtent {
        // With a query, usually few events match: they are judged before they are decoded.
        if let query = filter.query {
            return try read(batch, first, end, LineSearch(query.literals), body) {
                try $0.decode($1, of: $2) { filter.matches($0) }
            }
        }
        return try read(batch, first, end, nil) { event in
            try filter.matches(event) ? body(consume event) : true
        } decode: {
            $0.decode($1, of: $2)
        }
    }

    /// Where the lines of a batch are; nil if none are left.
    /// - Parameter isGone: Whether the segment does not exist any more.
    func lines(of batch: JournalBatch, isGone: inout Bool) throws(FileError) -> BatchLines? {
        let segment = try segment(of: batch)
        isGone = segment == nil
        guard let segment else { return nil }
        guard let place = segment.map.place(of: batch) else {
            if !segment.map.lost.isEmpty { reportDamage(of: batch, line: batch.line + 1) }
            return nil
        }
        return BatchLines(batch: batch, file: segment.file, place: place, context: try header(of: batch, in: segment))
    }

    /// - Parameters:
    ///   - search: Excludes batches without events that are looked for.
    ///   - decode: Decodes a line after the first ones.
    private func read(
        _ batch: JournalBatch, _ first: UInt64, _ end: UInt64, _ search: LineSearch?,
        _ body: (consuming TelemetryEvent) throws -> Bool,
        decode: (inout EventLineDecoder, FileLines.FileLine, FileLines) throws -> EventLineDecoder.EventLine
    ) throws -> ReadExtent {
        var isGone = false
        guard let found = try self.lines(of: batch, isGone: &isGone) else { return isGone ? .gone : .complete }
        var decoder = EventLineDecoder(directory: batch.client, context: found.context)
        var linesRead: UInt64 = 0
        var lines = FileLines(found.file, found.place)
        if let known = bookmark, known.file === found.file, known.offset == batch.offset, known.linesRead == first {
            (lines, decoder, linesRead) = (known.lines, known.decoder, first)
        } else if try found.isExcluded(by: search) {
            return .complete
        }
        bookmark = nil
        // All these bytes belong to the batch, even if damage changed the number of lines.
        while linesRead < end, let line = try lines.next() {
            let isRead = linesRead >= first
            let decoded = isRead ? try decode(&decoder, line, lines) : decoder.decode(line, of: lines)
            linesRead += 1
            guard isRead else { continue }
            switch consume decoded {
            case .event(let event):
                if try body(event) { continue }
                guard line.end < found.place.upperBound else { return .complete }
                bookmark = Bookmark(
                    file: found.file, offset: batch.offset, linesRead: linesRead, lines: lines, decoder: decoder)
                return .stopped(lines: linesRead)
            case .corrupt: reportDamage(of: batch, line: batch.line + linesRead)
            case .header, .nothing: break
            }
        }
        if linesRead != batch.lineCount, linesRead < end { reportDamage(of: batch, line: batch.line + linesRead + 1) }
        return .complete
    }

    func reportDamage(of batch: JournalBatch, line: UInt64) {
        let path = "\(layout.client(directory: batch.client))/\(batch.segment).jsonl"
        noteDamage(ofClient: batch.client, at: "\(path):\(line)")
        diagnostics?(.init(kind: .corruptFile, message: "\(path) cannot be read at line \(line); the line is skipped."))
    }

    private func segment(of batch: JournalBatch) throws(FileError) -> OpenSegment? {
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
            let opened = try OpenSegment(file: system.open(path, for: .read))
            opened.lastUse = uses
            segments[path] = opened
            return opened
        } catch  where error.isNotFound { return nil }
    }

    private func header(of batch: JournalBatch, in segment: OpenSegment) throws(FileError) -> EventContext? {
        guard let offset = segment.map.header(of: batch) else { return nil }
        return try context(at: offset, of: batch, in: segment)
    }

    private func context(
        at offset: UInt64, of batch: JournalBatch, in segment: OpenSegment
    ) throws(FileError) -> EventContext? {
        if let known = segment.headers[offset] { return known }
        var length = 1024
        while true {
            let bytes = try segment.file.read(at: offset, count: length)
            guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
                if bytes.count < length || length > Self.maximumHeaderBytes { return nil }
                length *= 8
                continue
            }
            var decoder = EventLineDecoder(directory: batch.client)
            _ = bytes.withUnsafeBufferPointer { decoder.decode(UnsafeBufferPointer(rebasing: $0[..<end])) }
            if segment.headers.count >= Self.headersKept { segment.headers.removeAll() }
            segment.headers[offset] = decoder.context
            return decoder.context
        }
    }
}
