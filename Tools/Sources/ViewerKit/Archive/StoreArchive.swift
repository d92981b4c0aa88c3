public import Foundation
public import TelemetryModels

/// A store as one file: JSON, an object a line. First what it is, then the records, then the events in their order.
public enum StoreArchive {
    public enum Line: Sendable {
        case header
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

    /// Reads one line.
    /// - Parameter isFirst: Whether it must be the header.
    /// - Throws: ``ToolFailure`` where the file is no archive or a newer one; what decoding throws where the line is broken.
    public static func read(_ line: Data, isFirst: Bool) throws -> Line {
        let decoder = JSONDecoder()
        if isFirst {
            guard let header = try? decoder.decode(Header.self, from: line), header.format == format else {
                throw ToolFailure(.data, "This is no archive of a telemetry store; telemetry export writes one.")
            }
            guard header.version <= version else {
                throw ToolFailure(
                    .data, "The archive is of version \(header.version); this tool knows up to \(version). Use a newer telemetry."
                )
            }
            return .header
        }
        if line.starts(with: Data("{\"record\"".utf8)) {
            return .record(try decoder.decode(Wrapped.self, from: line).record)
        }
        return .event(try decoder.decode(TelemetryEvent.self, from: line))
    }

    private static func encoded(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value)) + [0x0A]
    }
}
