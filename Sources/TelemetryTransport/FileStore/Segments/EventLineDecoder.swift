import TelemetryModels
import TelemetrySystem

/// Reads the output of ``EventLineEncoder``, with keys in any order; unknown keys are skipped.
struct EventLineDecoder {
    enum EventLine {
        case event(TelemetryEvent)
        case header
        /// An empty line, where an event was deleted, a segment's first line, or the line above a run.
        case nothing
        case corrupt
    }

    /// The current header.
    var context: EventContext?
    /// The directory of the client; nil for lines in memory. A header for another client is invalid.
    private let directory: String?
    private var recent = EventDraft.Recent()

    init(directory: String? = nil, context: EventContext? = nil) {
        self.directory = directory
        self.context = context
    }

    mutating func decode(_ line: UnsafeBufferPointer<UInt8>) -> EventLine {
        if line.isEmpty { return .nothing }
        if let context, let event = written(line, below: context) { return .event(event) }
        var scanner = JSONScanner(line)
        var draft = EventDraft()
        var header: EventContext?
        var isSegment = false
        var hasChecksum = false
        var headerBytes = 0..<0
        guard scanner.consume(UInt8(ascii: "{")) else { return corrupt(line) }
        if !scanner.consume(UInt8(ascii: "}")) {
            repeat {
                guard let key = scanner.rawString()?.bytes, scanner.consume(UInt8(ascii: ":")) else { return corrupt(line) }
                if key.isIdentical(to: "header") {
                    _ = scanner.peek()
                    let start = scanner.position
                    header = Self.header(&scanner)
                    guard header != nil else { return corrupt(line) }
                    headerBytes = start..<scanner.position
                } else if header != nil, key.isIdentical(to: "checksum") {
                    let bytes = UnsafeBufferPointer(rebasing: line[headerBytes])
                    hasChecksum = scanner.rawString().flatMap { LineChecksum.read($0.bytes) } == LineChecksum.hash(.init(bytes))
                    guard hasChecksum else { return corrupt(line) }
                } else if key.isIdentical(to: "segment") {
                    isSegment = true
                    guard scanner.skipValue() else { return corrupt(line) }
                } else {
                    guard draft.read(key, &scanner, &recent, below: context) else { return corrupt(line) }
                }
            } while scanner.consume(UInt8(ascii: ","))
            guard scanner.consume(UInt8(ascii: "}")) else { return corrupt(line) }
        }
        let isWhole = scanner.isAtEnd()
        // A header counts only with its checksum, and then even if its line feed is damaged and other bytes follow.
        if let header, isWhole || hasChecksum {
            context = hasChecksum && isOwn(header) ? header : nil
            return context == nil || !isWhole ? .corrupt : .header
        }
        guard isWhole else { return corrupt(line) }
        if isSegment { return .nothing }
        guard let event = context.flatMap({ draft.event(below: $0) }) else { return corrupt(line) }
        return .event(event)
    }

    @inline(__always)
    private mutating func written(_ line: UnsafeBufferPointer<UInt8>, below context: EventContext) -> TelemetryEvent? {
        var scanner = JSONScanner(line)
        var draft = EventDraft()
        guard scanner.consume(exactly: "{"), draft.readWritten(&scanner, &recent, below: context) else { return nil }
        return draft.event(below: context)
    }

    private func isOwn(_ header: EventContext) -> Bool {
        guard let directory, let clientId = header.clientId else { return true }
        return StoreLayout.client(clientId) == directory
    }

    /// Ends the current header if the line may be a damaged header, since the events after it may be of another session.
    private mutating func corrupt(_ line: UnsafeBufferPointer<UInt8>) -> EventLine {
        if SegmentRun.read(line)?.length == line.count { return .nothing }
        let text = String(decoding: line, as: UTF8.self)
        // An event may have attributes of these names, but its line begins with its number and contains no header's beginning.
        let isEvent = text.hasPrefix("{\"seq\":") && !text.contains("{\"header\":{\"session\":")
        if Self.mayContainHeader(line) || !isEvent && (text.contains("\"header\"") || text.contains("\"session\"")) {
            context = nil
        }
        return .corrupt
    }

    /// Whether damage over several lines may have left a header in this one: it ends like a header, or contains many control
    /// characters, which no line does.
    private static func mayContainHeader(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        let end = line.suffix(checksumEnd.utf8CodeUnitCount + 10)
        if UnsafeBufferPointer(rebasing: end.prefix(checksumEnd.utf8CodeUnitCount)).isIdentical(to: checksumEnd) { return true }
        return line.count { $0 < 0x20 } >= invalidBytes
    }

    private static let checksumEnd: StaticString = ",\"checksum\":\""
    /// Damage of this many control characters may be that of a header.
    private static let invalidBytes = 16

    private static func header(_ scanner: inout JSONScanner) -> EventContext? {
        var texts: [String: String] = [:]
        var tables = HeaderTables()
        let isObject = scanner.readObject { key, scanner in
            if scanner.peek() == UInt8(ascii: "[") { return read(&scanner, of: key, into: &tables) }
            guard scanner.peek() == UInt8(ascii: "\"") else { return scanner.skipValue() }
            texts[String(decoding: key, as: UTF8.self)] = scanner.string()
            return true
        }
        tables.start =
            texts["start"].flatMap { TimestampFormat.date(from: $0) }.flatMap(TimestampParts.init)?.millisecondsSince1970
        guard isObject, let session = texts["session"] else { return nil }
        return EventContext(
            clientId: texts["client"], sessionId: session, idPrefix: texts["ids"],
            device: TelemetryDeviceInfo(
                deviceType: texts["deviceType"] ?? "", deviceName: texts["deviceName"] ?? "",
                deviceModel: texts["deviceModel"] ?? "", osVersion: texts["osVersion"] ?? "",
                appVersion: texts["appVersion"] ?? ""),
            threadId: texts["thread"] ?? "", scenario: texts["scenario"],
            level: texts["level"].flatMap(TelemetryLogLevel.init) ?? .info, tables: tables)
    }

    /// Reads a table of strings; skips other arrays.
    private static func read(
        _ scanner: inout JSONScanner, of key: UnsafeBufferPointer<UInt8>, into tables: inout HeaderTables
    ) -> Bool {
        let table: WritableKeyPath<HeaderTables, TextTable>
        if key.isIdentical(to: "names") {
            table = \.names
        } else if key.isIdentical(to: "threads") {
            table = \.threads
        } else if key.isIdentical(to: "scenarios") {
            table = \.scenarios
        } else {
            return scanner.skipValue()
        }
        guard let texts = scanner.strings(limit: TextTable.readableCount), let read = TextTable(reading: texts) else {
            return false
        }
        tables[keyPath: table] = read
        return true
    }
}

extension EventLineDecoder {
    /// Decodes a line of a file. A line that is too long is corrupt and ends the current header, since it may have been one.
    mutating func decode(_ line: FileLines.FileLine, of lines: FileLines) -> EventLine {
        if line.isTooLong {
            context = nil
            return .corrupt
        }
        return lines.withBytes(of: line) { decode($0) }
    }

    /// The same; nothing for an event that does not match.
    mutating func decode(
        _ line: FileLines.FileLine, of lines: FileLines, where isMatch: (StoredEvent) throws -> Bool
    ) throws -> EventLine {
        if line.isTooLong { return decode(line, of: lines) }
        return try lines.withBytes(of: line) { bytes throws in try decode(bytes, where: isMatch) }
    }
}
