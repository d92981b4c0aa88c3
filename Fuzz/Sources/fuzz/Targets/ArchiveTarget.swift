import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Reads lines as `telemetry import` does, and formats the events as the viewer does.
enum ArchiveTarget {
    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let bytes = Array(bytes)
        let lines = readLines(bytes)
        if let first = lines.first { try? StoreArchive.readHeader(first) }
        var events: [TelemetryEvent] = []
        for lines in StoreArchive.read(bytes) {
            switch lines {
            case .events(let found): events += found.flatMap(\.events)
            case .record(let record): readBack(record)
            case .invalid: break
            }
        }
        readBack(events)
        show(events)
        for line in lines { parse(line) }
    }

    /// Reads the lines of a file, which must equal those of its bytes.
    private static func readLines(_ bytes: [UInt8]) -> [Data] {
        let path = Scratch.fresh("archive")
        Scratch.write(bytes, to: path)
        guard let handle = FileHandle(forReadingAtPath: path) else { return [] }
        defer { try? handle.close() }
        var reader = LineReader(handle)
        var lines: [Data] = []
        while let line = try? reader.next() { lines.append(line) }
        var expected = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Data($0) }
        if expected.last?.isEmpty == true { expected.removeLast() }
        require(lines == expected, "the lines of a file differ from those of its bytes")
        return lines
    }

    private static func readBack(_ record: TelemetryRecord) {
        guard let line = try? StoreArchive.line(record) else { violated("\(record) cannot be exported") }
        guard case .record(let again)? = StoreArchive.read(line).first else {
            violated("an exported record cannot be imported: \(String(decoding: line, as: UTF8.self))")
        }
        require(again.recordID == record.recordID, "an imported record differs from the exported one in its name")
    }

    private static func readBack(_ events: [TelemetryEvent]) {
        var json = EventJSON()
        for event in events {
            var line: [UInt8] = []
            json.append(event, to: &line)
            guard case .events(let found)? = StoreArchive.read(line).first, let again = found.first?.events.first else {
                violated("an exported event cannot be imported: \(String(decoding: line, as: UTF8.self))")
            }
            require(Sameness.holds(event, again), "an imported event differs from the exported one: \(event) \(again)")
        }
    }

    private static func show(_ events: [TelemetryEvent]) {
        var summary = EventSummary()
        for event in events { summary.add(event) }
        _ = (summary.dropped, summary.missing, summary.all.rate, summary.sessions.mapValues(\.missing))
        for format in EventFormatter.Format.allCases {
            var formatter = EventFormatter(
                format, columns: EventColumn.allCases, style: Style(isOn: false), width: format == .table ? 120 : nil)
            var output = formatter.header
            for event in events { formatter.append(event, to: &output) }
            guard format == .table else { continue }
            let hasControls = String(decoding: output, as: UTF8.self).unicodeScalars.contains {
                $0.properties.generalCategory == .control && $0 != "\n"
            }
            require(!hasControls, "a table contains control characters")
        }
    }

    /// Parses a program's line as `telemetry pipe` does.
    private static func parse(_ line: Data) {
        guard let parser = try? LineParser(level: .info, isJSON: true) else { return }
        _ = parser.parse(String(decoding: line, as: UTF8.self))
    }
}
