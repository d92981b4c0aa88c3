import Foundation

/// Reads the newest event of each client from the ends of a store's newest segments.
struct SegmentTraces {
    /// The bytes to read at the start and at the end of a segment.
    private static let maximumBytes = 64 << 10
    /// The number of lines at the end of a segment among which the newest event is.
    private static let examinedLines = 64

    private static let maximumIdentifierBytes = 1_024

    private static let headerStart = Array(#"{"header":"#.utf8)
    private static let eventStart = Array(#"{"seq":"#.utf8)
    private static let timeStart = Array(#","time":""#.utf8)

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
        let end = lines(in: handle, from: start)
        let header = end.last(where: Self.isHeader) ?? lines(in: handle, from: 0).first(where: Self.isHeader)
        guard let header, let object = try? JSONSerialization.jsonObject(with: Data(header)) as? [String: Any],
            let fields = object["header"] as? [String: Any], let client = fields["client"] as? String,
            (1...Self.maximumIdentifierBytes).contains(client.utf8.count)
        else { return nil }
        let times = end.suffix(Self.examinedLines).compactMap(Self.time)
        // If the last line is longer than the bytes that were read, the file's date replaces that of the event.
        let changed = start > 0 ? (try? url.resourceValues(forKeys: [.contentModificationDateKey]))?.contentModificationDate : nil
        var trace = ClientTrace(clientId: client, lastEvent: times.max() ?? changed)
        trace.take(fields)
        return trace
    }

    /// The complete lines. A line that is truncated at the start of the bytes is not recognized, and one at their end is left out.
    private func lines(in handle: FileHandle, from offset: UInt64) -> [ArraySlice<UInt8>] {
        guard (try? handle.seek(toOffset: offset)) != nil else { return [] }
        let bytes = (try? handle.read(upToCount: Self.maximumBytes)) ?? nil
        return Array(bytes ?? Data()).split(separator: 0x0A)
    }

    private static func isHeader(_ line: ArraySlice<UInt8>) -> Bool { line.starts(with: headerStart) }

    /// The time of an event's line. The text before it contains no unescaped quotation mark within a value.
    private static func time(of line: ArraySlice<UInt8>) -> Date? {
        guard line.starts(with: eventStart), line.last == UInt8(ascii: "}"), let key = line.firstRange(of: timeStart) else {
            return nil
        }
        return UTCStamp.date(String(decoding: line[key.upperBound...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self))
    }
}
