public import Foundation
public import TelemetryModels
@_spi(Tooling) import TelemetryTransport

/// A store as one file with one JSON object per line: a header, then the records, then the events in order.
public enum StoreArchive {
    /// Consecutive lines of one kind.
    public enum Lines: Sendable {
        case events([TelemetryEvent])
        case record(TelemetryRecord)
        /// A line that is neither.
        case invalid
    }

    private struct Header: Codable {
        var format = StoreArchive.format
        var version = StoreArchive.version
    }

    private struct Wrapped: Codable { let record: TelemetryRecord }

    static let format = "LiveTelemetry archive"
    static let version = 1

    public static func header() throws -> [UInt8] { try encoded(Header()) }

    public static func line(_ record: TelemetryRecord) throws -> [UInt8] { try encoded(Wrapped(record: record)) }

    /// Reads the first line.
    /// - Throws: ``ToolFailure`` if the file is not an archive or has a newer version.
    public static func readHeader(_ line: Data) throws {
        guard let header = try? JSONDecoder().decode(Header.self, from: line), header.format == format else {
            throw ToolFailure(.data, "The file is not an archive written by telemetry export.")
        }
        guard header.version <= version else {
            throw ToolFailure(
                .data,
                "The archive has version \(header.version), but this tool supports versions up to \(version). Update this tool.")
        }
    }

    /// Parses lines after the header on all cores. The result is in order.
    public static func read(_ block: [UInt8]) async -> [Lines] {
        let parts = parts(of: block, count: max(1, min(ProcessInfo.processInfo.activeProcessorCount, block.count >> 16)))
        return await withTaskGroup(of: (Int, [Lines]).self) { group in
            for (number, part) in parts.enumerated() { group.addTask { (number, lines(of: block[part])) } }
            var parsed = [[Lines]](repeating: [], count: parts.count)
            for await (number, lines) in group { parsed[number] = lines }
            return parsed.flatMap(\.self)
        }
    }

    /// Parts of similar size that consist of complete lines.
    private static func parts(of block: [UInt8], count: Int) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var start = 0
        for number in 1...count {
            let wanted = max(start, block.count / count * number)
            let end = number == count ? block.count : block[wanted...].firstIndex(of: 0x0A).map { $0 + 1 } ?? block.count
            if end > start { parts.append(start..<end) }
            start = end
        }
        return parts
    }

    private static func lines(of part: ArraySlice<UInt8>) -> [Lines] {
        let decoder = JSONDecoder()
        var reader = ArchivedEventReader()
        var lines: [Lines] = []
        var events: [TelemetryEvent] = []
        part.withUnsafeBufferPointer { bytes in
            var start = 0
            while start < bytes.count, let base = bytes.baseAddress {
                let feed = memchr(base + start, 0x0A, bytes.count - start).map { UnsafeRawPointer($0) - UnsafeRawPointer(base) }
                let line = UnsafeBufferPointer(rebasing: bytes[start..<(feed ?? bytes.count)])
                start += line.count + 1
                if let event = reader.event(in: line) {
                    events.append(event)
                    continue
                }
                switch other(Data(line), decoder) {
                case .events(let unusual): events += unusual
                case let other:
                    if !events.isEmpty { lines.append(.events(events)) }
                    events = []
                    lines.append(other)
                }
            }
        }
        if !events.isEmpty { lines.append(.events(events)) }
        return lines
    }

    private static func other(_ line: Data, _ decoder: JSONDecoder) -> Lines {
        if line.starts(with: Data("{\"record\"".utf8)) {
            return (try? decoder.decode(Wrapped.self, from: line)).map { .record($0.record) } ?? .invalid
        }
        return (try? decoder.decode(TelemetryEvent.self, from: line)).map { .events([$0]) } ?? .invalid
    }

    private static func encoded(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return JSONBytes.escapingControls(in: try encoder.encode(value)) + [0x0A]
    }
}
