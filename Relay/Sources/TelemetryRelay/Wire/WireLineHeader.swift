import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// A header line: what the lines below it take from it.
struct WireLineHeader {
    /// The keys of the fields that all lines below a header have in common.
    static let originKeys: KeyValuePairs<String, TelemetrySchema.Field> = [
        "session": .sessionId, "client": .clientId, "deviceType": .deviceType, "deviceName": .deviceName,
        "deviceModel": .deviceModel, "osVersion": .osVersion, "appVersion": .appVersion,
    ]
    /// The keys of the fields that a line may have instead of its header.
    static let defaultKeys: KeyValuePairs<String, TelemetrySchema.Field> = [
        "thread": .threadId, "scenario": .scenario, "level": .logLevel,
    ]
    private static let fields = Dictionary(uniqueKeysWithValues: (Array(originKeys) + Array(defaultKeys)).map { ($0, $1) })
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
}
