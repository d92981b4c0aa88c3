import Foundation
@_spi(Tooling) import TelemetryModels

/// Reads the newest event of each client from the ends of a store's newest segments.
struct SegmentTraces {
    /// The bytes to read at the start and at the end of a segment. A writer repeats the header after 64 KiB.
    private static let maximumBytes = 96 << 10
    /// The number of lines at the end of a segment among which the newest event is.
    private static let examinedLines = 64

    private static let maximumIdentifierBytes = 1_024

    private static let headerStart = Array(#"{"header":"#.utf8)
    private static let eventStart = Array(#"{"seq":"#.utf8)
    private static let timeStart = Array(#","time":"#.utf8)

    private let events: URL

    init(_ directory: URL) { events = directory.appendingPathComponent("events") }

    func all() -> [ClientTrace] {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: events.path).sorted()) ?? []
        return folders.compactMap { trace(in: events.appendingPathComponent($0)) }
    }

    private func trace(in folder: URL) -> ClientTrace? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        func number(_ name: String) -> Int { Int(name.prefix { $0 != "-" }) ?? -1 }
        let segments = names.filter { $0.hasSuffix(".jsonl") && !$0.hasPrefix("-") }.sorted { number($0) > number($1) }
        // The newest segment may not contain an event yet.
        for segment in segments.prefix(2) {
            if let trace = trace(inSegment: folder.appendingPathComponent(segment)), trace.lastEvent != nil { return trace }
        }
        return nil
    }

    private func trace(inSegment url: URL) -> ClientTrace? {
        guard let handle = try? FileHandle(forReadingFrom: url), let size = try? handle.seekToEnd() else { return nil }
        defer { try? handle.close() }
        let start = size - min(size, UInt64(Self.maximumBytes))
        var fields: [String: Any]?
        var newest: Date?
        /// The times of the lines since the last header that was found: those lines are below the header that is found next.
        var times: [Time] = []
        var examined = 0
        func note(after start: Date?) {
            newest = (times.compactMap { $0.date(after: start) } + [newest].compactMap(\.self)).max()
            times = []
        }
        for line in lines(in: handle, from: start) {
            if Self.isHeader(line) {
                let found = Self.fields(ofHeader: line)
                note(after: (found?["start"] as? String).flatMap(TimestampText.date(from:)))
                fields = fields ?? found
            } else if examined < Self.examinedLines {
                if let time = Self.time(of: line) { times.append(time) }
                examined += 1
            }
            if fields != nil, times.isEmpty, examined >= Self.examinedLines { break }
        }
        // Their header is not among the bytes, so that only complete dates are known.
        note(after: nil)
        if fields == nil {
            // The first one in the file is the last one found.
            let first = lines(in: handle, from: 0).reduce(nil as ArraySlice<UInt8>?) { Self.isHeader($1) ? $1 : $0 }
            fields = first.flatMap(Self.fields(ofHeader:))
        }
        guard let fields, let client = fields["client"] as? String,
            (1...Self.maximumIdentifierBytes).contains(client.utf8.count)
        else { return nil }
        if newest == nil, start > 0 {
            // The last line is longer than the bytes that were read.
            newest = (try? url.resourceValues(forKeys: [.contentModificationDateKey]))?.contentModificationDate
        }
        var trace = ClientTrace(clientId: client, lastEvent: newest)
        trace.read(fields)
        return trace
    }

    /// The lines, the last one first. A line that is truncated, at the start or the end of the bytes, is not recognized.
    private func lines(in handle: FileHandle, from offset: UInt64) -> LinesFromEnd {
        guard (try? handle.seek(toOffset: offset)) != nil else { return LinesFromEnd([]) }
        let bytes = (try? handle.read(upToCount: Self.maximumBytes)) ?? nil
        return LinesFromEnd(Array(bytes ?? Data()))
    }

    private struct LinesFromEnd: Sequence, IteratorProtocol {
        private let bytes: [UInt8]
        private var end: Int

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            end = bytes.endIndex
        }

        mutating func next() -> ArraySlice<UInt8>? {
            while end > 0 {
                let newline = bytes[..<end].lastIndex(of: 0x0A)
                let line = bytes[(newline.map { $0 + 1 } ?? 0)..<end]
                end = newline ?? 0
                if !line.isEmpty { return line }
            }
            return nil
        }
    }

    private static func fields(ofHeader line: ArraySlice<UInt8>) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])?["header"] as? [String: Any]
    }

    private static func isHeader(_ line: ArraySlice<UInt8>) -> Bool { line.starts(with: headerStart) }

    private enum Time {
        case complete(Date)
        /// Milliseconds after the header's start.
        case relative(Double)

        func date(after base: Date?) -> Date? {
            switch self {
            case .complete(let date): date
            case .relative(let milliseconds): base?.addingTimeInterval(milliseconds / 1_000)
            }
        }
    }

    /// The time of an event's line. The text before it contains no unescaped quotation mark within a value.
    private static func time(of line: ArraySlice<UInt8>) -> Time? {
        guard line.starts(with: eventStart), line.last == UInt8(ascii: "}"), let key = line.firstRange(of: timeStart) else {
            return nil
        }
        let value = line[key.upperBound...]
        if value.first != UInt8(ascii: "\"") {
            let number = value.prefix { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") || $0 &- UInt8(ascii: "0") < 10 }
            return Double(String(decoding: number, as: UTF8.self)).map(Time.relative)
        }
        return TimestampText.date(from: String(decoding: value.dropFirst().prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self))
            .map(Time.complete)
    }
}
