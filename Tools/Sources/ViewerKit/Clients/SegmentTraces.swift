import Foundation

/// Reads the newest event of each client from the ends of a store's newest segments.
struct SegmentTraces {
    /// The bytes to read at the start and at the end of a segment.
    private static let maximumBytes = 64 << 10

    private static let maximumIdentifierBytes = 1_024

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
        let start = size > UInt64(Self.maximumBytes) ? size - UInt64(Self.maximumBytes) : 0
        let end = objects(in: handle, from: start)
        let header = end.last { $0["header"] != nil } ?? objects(in: handle, from: 0).first { $0["header"] != nil }
        guard let fields = header?["header"] as? [String: Any], let client = fields["client"] as? String,
            (1...Self.maximumIdentifierBytes).contains(client.utf8.count)
        else { return nil }
        let times = end.compactMap { ($0["time"] as? String).flatMap(UTCStamp.date) }
        // If the last line is longer than the bytes that were read, the file's date replaces that of the event.
        let changed = start > 0 ? (try? url.resourceValues(forKeys: [.contentModificationDateKey]))?.contentModificationDate : nil
        var trace = ClientTrace(clientId: client, lastEvent: times.max() ?? changed)
        trace.take(fields)
        return trace
    }

    /// The objects in the complete lines. A line that is truncated at either end is left out.
    private func objects(in handle: FileHandle, from offset: UInt64) -> [[String: Any]] {
        guard (try? handle.seek(toOffset: offset)) != nil else { return [] }
        let bytes = (try? handle.read(upToCount: Self.maximumBytes)) ?? nil
        return (bytes ?? Data()).split(separator: 0x0A).compactMap { line in
            try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
        }
    }
}
