import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// A header line: what the lines below it take from it.
struct WireLineHeader {
    /// The keys of the fields that all lines below a header have in common.
    private static let originKeys: KeyValuePairs<String, TelemetrySchema.Field> = [
        "session": .sessionId, "client": .clientId, "deviceType": .deviceType, "deviceName": .deviceName,
        "deviceModel": .deviceModel, "osVersion": .osVersion, "appVersion": .appVersion,
    ]
    /// The keys of the fields that a line may have instead of its header.
    private static let defaultKeys: KeyValuePairs<String, TelemetrySchema.Field> = [
        "thread": .threadId, "scenario": .scenario, "level": .logLevel,
    ]
    private static let allKeys = Array(originKeys) + Array(defaultKeys)
    private static let fields = Dictionary(uniqueKeysWithValues: allKeys.map { ($0, $1) })
    private static let keys = Set(fields.keys).union(["ids", "start", "names", "threads", "scenarios"])

    /// The maximum number of strings in a table.
    private static let tableCount = 1_024

    private(set) var fields = WireEventFields()
    /// What precedes the number in the identifiers that lines have as a number.
    private(set) var identifierPrefix: String?
    /// The time to which the times of lines are relative, in nanoseconds since 1970.
    private(set) var start: Int64?
    private(set) var names: [String] = []
    private(set) var threads: [String] = []
    private(set) var scenarios: [String] = []

    init(_ reader: inout JSONReader, place: String) throws {
        guard try reader.kind() == .object else { throw Problem.invalidArgument("\(place) must be an object.") }
        var read: Set<String> = []
        try reader.object { key, reader in
            guard Self.keys.contains(key) else { return try reader.skip() }
            guard read.insert(key).inserted else { throw Problem.invalidArgument("\(place) has two members \(key).") }
            guard try !reader.null() else { return }
            switch key {
            case "ids": identifierPrefix = try WireEventFields.text(&reader, .eventId, "\(place).ids")
            case "start": start = try Self.start(&reader, "\(place).start")
            case "names": names = try Self.table(&reader, .eventName, "\(place).names")
            case "threads": threads = try Self.table(&reader, .threadId, "\(place).threads")
            case "scenarios": scenarios = try Self.table(&reader, .scenario, "\(place).scenarios")
            default:
                guard let field = Self.fields[key] else { return try reader.skip() }
                fields.texts[field] = try WireEventFields.text(&reader, field, "\(place).\(key)")
            }
        }
        if fields.texts[.sessionId] == nil { throw Problem.invalidArgument("\(place).session is missing.") }
        _ = try WireEventFields.level(fields.texts[.logLevel], "\(place).level")
    }

    /// Creates a header for an event and those like it.
    init(above event: WireEventFields) {
        for (_, field) in Self.allKeys { fields.texts[field] = event.texts[field] }
        start = event.texts[.eventTimestamp].flatMap { RelayTime($0) }.flatMap(WireLineTime.nanoseconds).map(WireLineTime.start)
    }

    private static func start(_ reader: inout JSONReader, _ place: String) throws -> Int64 {
        let text = try WireEventFields.time(&reader, .lines, place)
        guard let start = RelayTime(text).flatMap(WireLineTime.nanoseconds), start == WireLineTime.start(start) else {
            throw Problem.invalidArgument("\(place) is not a time from 1970 on in whole milliseconds.")
        }
        return start
    }

    private static func table(
        _ reader: inout JSONReader, _ field: TelemetrySchema.Field, _ place: String
    ) throws -> [String] {
        guard try reader.kind() == .array else { throw Problem.invalidArgument("\(place) must be an array.") }
        var texts: [String] = []
        try reader.array { reader in
            guard texts.count < tableCount else { throw Problem.tooLarge("\(place) has more than \(tableCount) strings.") }
            texts.append(try WireEventFields.text(&reader, field, "\(place)[\(texts.count)]"))
        }
        return texts
    }

    /// Whether the line of an event can be written below the header. A line cannot say that it has no thread or no level.
    func applies(to event: WireEventFields) -> Bool {
        Self.originKeys.allSatisfy { isSame(fields.texts[$0.value], event.texts[$0.value]) }
            && [.threadId, .logLevel].allSatisfy { fields.texts[$0] == nil || event.texts[$0] != nil }
    }

    /// The header without what only lines in the sender's bytes need.
    var withoutTables: Self {
        var header = self
        (header.identifierPrefix, header.names, header.threads, header.scenarios) = (nil, [], [], [])
        return header
    }

    /// About the bytes that the header's fields have in the JSON of an event.
    var sharedBytes: Int {
        Self.allKeys.reduce(0) { bytes, key in
            bytes + (fields.texts[key.1].map { $0.escapedCount + key.1.rawValue.utf8.count + 6 } ?? 0)
        }
    }

    /// The line, with a line feed.
    var line: [UInt8] {
        var values = JSONWriter(capacity: 512)
        values.object { writer in
            for (key, field) in Self.allKeys {
                guard let text = fields.texts[field] else { continue }
                writer.member(key, text)
            }
            if let identifierPrefix { writer.member("ids", identifierPrefix) }
            if let start { writer.member("start", WireLineTime.time(start).text) }
            for (key, table) in [("names", names), ("threads", threads), ("scenarios", scenarios)] where !table.isEmpty {
                writer.key(key)
                writer.array(table) { text, writer in writer.string(text) }
            }
        }
        var line = JSONWriter(capacity: 512)
        line.object { writer in
            writer.key("header")
            writer.raw(values.bytes)
            writer.member("checksum", values.checksum)
        }
        return line.bytes + [UInt8(ascii: "\n")]
    }
}

/// Whether two strings have the same bytes: Unicode spellings are kept.
func isSame(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.utf8.elementsEqual(right.utf8)
}

extension String {
    /// The bytes between the quotation marks in JSON.
    var escapedCount: Int {
        utf8.reduce(0) { count, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): count + 2
            case 0..<0x20: count + 6
            default: count + 1
            }
        }
    }
}
