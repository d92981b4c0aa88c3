import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// A line of a segment.
enum WireLine {
    /// The first line of a segment without runs.
    case segment
    case header(WireLineHeader)
    case event(WireEventFields)

    /// The version of segments that the relay reads.
    private static let version: Int64 = 4
    /// The known keys, each with a number.
    private static let keys = Dictionary(
        uniqueKeysWithValues: [
            "header", "checksum", "segment", "run", "runs", "seq", "sequence", "id", "time", "name", "thread", "scenario",
            "level", "text", "attributes",
        ].enumerated().map { ($1, $0) })

    /// - Parameter header: the header that applies to the line.
    init(_ reader: inout JSONReader, below header: WireLineHeader?, place line: String) throws {
        guard try reader.kind() == .object else { throw Problem.invalidArgument("\(line) must be an object.") }
        var newHeader: (result: WireLineHeader, checksum: String)?
        var hasChecksum = false
        var isSegment = false
        var event = WireLineEvent()
        // The numbers of the keys that were read, as bits.
        var read = 0
        try reader.object { key, reader in
            guard let number = Self.keys[key] else { return try reader.skip() }
            guard read & 1 << number == 0 else { throw Problem.invalidArgument("\(line) has two members \(key).") }
            read |= 1 << number
            switch key {
            case "header": newHeader = try reader.checksummed { try WireLineHeader(&$0, place: "\(line).header") }
            case "checksum":
                guard let newHeader, try reader.kind() == .string else { return try reader.skip() }
                hasChecksum = try reader.name() == newHeader.checksum
            case "segment":
                guard try reader.kind() == .number, try reader.number() == .int(Self.version) else {
                    throw Problem.invalidArgument("\(line).segment must be \(Self.version).")
                }
                isSegment = true
            case "run", "runs": throw Problem.invalidArgument("\(line): runs are not supported.")
            default: try event.read(key, &reader, below: header, line)
            }
        }
        if let newHeader {
            guard hasChecksum else {
                throw Problem.invalidArgument("\(line).checksum is missing, or wrong, or before the header.")
            }
            guard event.isEmpty else { throw Problem.invalidArgument("\(line) is a header and an event.") }
            self = .header(newHeader.result)
        } else if isSegment {
            guard event.isEmpty else { throw Problem.invalidArgument("\(line) is a segment and an event.") }
            self = .segment
        } else {
            self = .event(try event.fields(below: header, line))
        }
    }
}

/// The members of an event's line.
private struct WireLineEvent {
    private enum Identifier { case number(UInt64), whole(String) }

    private var sequence: Int64?
    /// Whether the line has the relay's mark for an event in JSON with the sequence 0.
    private var hasExplicitZero = false
    private var identifier: Identifier?
    private var time: String?
    /// What the line does not leave to its header.
    private var texts = FieldTexts()
    /// Whether the line says which scenario it has, or that it has none.
    private var hasScenario = false
    private var attributes: [(name: String, value: WireValue)]?

    var isEmpty: Bool {
        sequence == nil && identifier == nil && time == nil && texts.isEmpty && !hasScenario && attributes == nil
    }

    /// Reads the value of a key, which it must consume.
    mutating func read(_ key: String, _ reader: inout JSONReader, below header: WireLineHeader?, _ place: String) throws {
        switch key {
        case "seq":
            var number = reader
            sequence = try WireEventFields.sequence(&reader, "\(place).seq")
            // Without a sign, also of zero.
            if try number.numberText().hasPrefix("-") {
                throw Problem.invalidArgument("\(place).seq must be a whole number of at least 0.")
            }
        case "sequence":
            guard try reader.kind() == .number else { return try reader.skip() }
            hasExplicitZero = try reader.numberText() == "0"
        case "id": identifier = try Self.identifier(&reader, "\(place).id")
        case "time": time = try Self.time(&reader, header?.start, "\(place).time")
        case "name": texts[.eventName] = try Self.text(&reader, .eventName, header?.names, "\(place).name")
        case "thread": texts[.threadId] = try Self.text(&reader, .threadId, header?.threads, "\(place).thread")
        case "scenario":
            hasScenario = true
            let isNone = try reader.null()
            texts[.scenario] = isNone ? nil : try Self.text(&reader, .scenario, header?.scenarios, "\(place).scenario")
        case "level":
            let level = try WireEventFields.text(&reader, .logLevel, "\(place).level")
            _ = try WireEventFields.level(level, "\(place).level")
            texts[.logLevel] = level
        case "text": texts[.property1] = try WireEventFields.text(&reader, .property1, "\(place).text")
        case "attributes": attributes = try WireEventFields.attributes(&reader, .lines, "\(place).attributes")
        default: try reader.skip()
        }
    }

    /// The event's fields with those of its header.
    func fields(below header: WireLineHeader?, _ place: String) throws -> WireEventFields {
        guard let header else { throw Problem.invalidArgument("\(place) has no header above it.") }
        guard let sequence else { throw Problem.invalidArgument("\(place).seq is missing.") }
        guard let time else { throw Problem.invalidArgument("\(place).time is missing.") }
        guard texts[.eventName] != nil else { throw Problem.invalidArgument("\(place).name is missing.") }
        var fields = header.fields
        // In JSON, an event without a number has no sequence.
        fields.sequence = sequence == 0 && !hasExplicitZero ? nil : sequence
        switch identifier {
        case .whole(let text): fields.texts[.eventId] = text
        case .number(let number):
            guard let prefix = header.identifierPrefix else {
                throw Problem.invalidArgument("\(place).id is a number, and the header has no ids.")
            }
            fields.texts[.eventId] = "\(prefix)-\(number)"
        case nil: fields.texts[.eventId] = "\(header.fields.texts[.sessionId] ?? "")-\(sequence)"
        }
        fields.texts[.eventTimestamp] = time
        for field in [TelemetrySchema.Field.eventName, .threadId, .logLevel, .property1] {
            if let text = texts[field] { fields.texts[field] = text }
        }
        if hasScenario { fields.texts[.scenario] = texts[.scenario] }
        fields.attributes = attributes
        return fields
    }

    private static func identifier(
        _ reader: inout JSONReader, _ place: @autoclosure () -> String
    ) throws -> Identifier {
        guard try reader.kind() == .number else { return .whole(try WireEventFields.text(&reader, .eventId, place())) }
        return .number(try whole(&reader, place()))
    }

    /// Reads a whole number of at least 0.
    private static func whole(_ reader: inout JSONReader, _ place: @autoclosure () -> String) throws -> UInt64 {
        let text = try reader.numberText()
        guard !text.hasPrefix("-"), let number = UInt64(text) else {
            throw Problem.invalidArgument("\(place()) must be a string or a whole number of at least 0.")
        }
        return number
    }

    private static func time(
        _ reader: inout JSONReader, _ start: Int64?, _ place: @autoclosure () -> String
    ) throws -> String {
        guard try reader.kind() == .number else { return try WireEventFields.time(&reader, .lines, place()) }
        let number = try reader.numberText()
        guard let start, let time = WireLineTime.time(number, after: start) else {
            throw Problem.invalidArgument("\(place()) is not a number of milliseconds after the header's start.")
        }
        return time.text
    }

    /// A string, or its number in the header's table.
    private static func text(
        _ reader: inout JSONReader, _ field: TelemetrySchema.Field, _ table: [String]?, _ place: @autoclosure () -> String
    ) throws -> String {
        guard try reader.kind() == .number else { return try WireEventFields.text(&reader, field, place()) }
        let number = try whole(&reader, place())
        guard let table, let index = Int(exactly: number), index < table.count else {
            throw Problem.invalidArgument("\(place()) is a number that the header does not explain.")
        }
        return table[index]
    }
}
