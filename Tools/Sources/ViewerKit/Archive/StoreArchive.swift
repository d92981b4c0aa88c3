public import Foundation
public import TelemetryModels

/// A store as one file with one JSON object per line: a header, then the records, then the events in order.
public enum StoreArchive {
    public enum Line: Sendable {
        case record(TelemetryRecord)
        case event(TelemetryEvent)
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

    /// Parses the lines after the header on all cores. The result is in order, with nil for an invalid line.
    public static func read(_ lines: [Data]) async -> [Line?] {
        let parts = max(1, min(ProcessInfo.processInfo.activeProcessorCount, lines.count / 100))
        let size = (lines.count + parts - 1) / parts
        return await withTaskGroup(of: (Int, [Line?]).self) { group in
            for part in 0..<parts {
                let own = lines[min(part * size, lines.count)..<min((part + 1) * size, lines.count)]
                group.addTask {
                    let decoder = JSONDecoder()
                    return (part, own.map { read($0, decoder) })
                }
            }
            var parsed: [Int: [Line?]] = [:]
            for await (part, lines) in group { parsed[part] = lines }
            return (0..<parts).flatMap { parsed[$0] ?? [] }
        }
    }

    private static func read(_ line: Data, _ decoder: JSONDecoder) -> Line? {
        if line.starts(with: Data("{\"record\"".utf8)) {
            return (try? decoder.decode(Wrapped.self, from: line)).map { .record($0.record) }
        }
        return (try? decoder.decode(TelemetryEvent.self, from: line)).map(Line.event)
    }

    private static func encoded(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return JSONBytes.escapingControls(in: try encoder.encode(value)) + [0x0A]
    }
}
