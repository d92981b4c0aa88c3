public import Foundation
public import TelemetryModels
@_spi(Tooling) public import TelemetryTransport

/// A store as one file with one JSON object per line: a header, then the records, then the events in order.
public enum StoreArchive {
    /// Consecutive lines of one kind.
    public enum Lines: Sendable {
        case events([TelemetryEventBatch])
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

    /// Parses complete lines after the header.
    /// - Parameter range: The range of the lines in the bytes; nil for all bytes.
    public static func read(_ bytes: [UInt8], in range: Range<Int>? = nil) -> [Lines] {
        let decoder = JSONDecoder()
        var lines: [Lines] = []
        var events = ArchivedBatches()
        func endEvents() {
            let batches = events.take()
            if !batches.isEmpty { lines.append(.events(batches)) }
        }
        for found in ArchivedLines.read(bytes, in: range ?? 0..<bytes.count) {
            switch found {
            case .events(let batch): events.append(batch)
            case .other(let line):
                switch other(Data(bytes[line]), decoder) {
                case .events(let unusual): for batch in unusual { events.append(batch) }
                case let other:
                    endEvents()
                    lines.append(other)
                }
            }
        }
        endEvents()
        return lines
    }

    private static func other(_ line: Data, _ decoder: JSONDecoder) -> Lines {
        if line.starts(with: Data("{\"record\"".utf8)) {
            return (try? decoder.decode(Wrapped.self, from: line)).map { .record($0.record) } ?? .invalid
        }
        return (try? decoder.decode(TelemetryEvent.self, from: line)).map { .events([TelemetryEventBatch([$0])]) } ?? .invalid
    }

    private static func encoded(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return JSONBytes.escapingControls(in: try encoder.encode(value)) + [0x0A]
    }
}
