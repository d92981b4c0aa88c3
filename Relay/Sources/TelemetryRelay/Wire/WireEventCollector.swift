import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetrySystem
@_spi(Tooling) import TelemetryTransport

/// Collects the events of a body as a batch: checks them, keeps or writes their lines, and bounds their number and size.
struct WireEventCollector {
    /// A string of a header.
    fileprivate struct Name {
        let key: Data
        /// Its bytes in JSON.
        let count: Int

        init(_ text: String, _ key: Data) { (self.key, count) = (key, text.escapedCount) }
    }

    /// A header with what its lines take from it.
    fileprivate struct Header {
        let content: WireLineHeader
        let session: Name
        let prefix: Name?
        let names: [Name]
        /// The bytes in JSON of each thread.
        let threads: [Int]
        let scenarios: [Name]
        let scenario: Data?
        let level: TelemetryLogLevel
        /// Whether the lines of the sender can be kept.
        let keepsLines: Bool
        /// About the bytes that it adds to each event in JSON.
        let shared: Int
    }

    /// The maximum size of a header with tables, which each block repeats.
    private static let headerBytes = EventBlock.maximumLength / 2
    /// About how many bytes the names of an event's own fields, and its time, have more in JSON than in a line.
    private static let keyBytes = 70

    private(set) var batch = RelayEventBatch()
    private let limits: RelayLimits
    /// What shares its fields with the events: without it, the body's own limit suffices.
    private let sharing: String?
    private var header: Header?
    /// A header that is not prepared yet, because there is no event below it.
    private var next: WireLineHeader?
    /// About the size of the events in JSON.
    private var bytes = 0
    private var keys: [String: Data] = [:]

    /// - Parameter sharing: a description of what the events have their common fields from; nil if they are complete.
    init(limits: RelayLimits, sharing: String?) { (self.limits, self.sharing) = (limits, sharing) }

    /// Begins lines below a header.
    mutating func begin(_ header: WireLineHeader) { (self.header, next) = (nil, header) }

    /// The header of the next event: prepared when there is an event below it.
    private mutating func currentHeader() -> Header? {
        guard var content = next else { return header }
        next = nil
        var line = content.line
        let keepsLines = line.count <= Self.headerBytes
        if !keepsLines {
            content = content.withoutTables
            line = content.line
        }
        let texts = content.fields.texts
        let session = texts[.sessionId] ?? ""
        let new = Header(
            content: content, session: Name(session, key(of: session)),
            prefix: content.identifierPrefix.map { Name($0, key(of: $0)) },
            names: content.names.map { Name($0, key(of: $0)) }, threads: content.threads.map(\.escapedCount),
            scenarios: content.scenarios.map { Name($0, key(of: $0)) }, scenario: texts[.scenario].map { key(of: $0) },
            level: texts[.logLevel].flatMap(TelemetryLogLevel.init) ?? .info,
            keepsLines: keepsLines && ClientIdentifier.isValid(texts[.clientId]), shared: Self.keyBytes + content.sharedBytes)
        batch.begin(header: line, client: texts[.clientId], session: new.session.key)
        header = new
        return new
    }

    /// Adds an event, below a new header if the last one does not apply to it.
    /// - Throws: `Problem` if a required field is missing or a field is invalid.
    mutating func append(_ event: WireEventFields, place: String) throws {
        func required(_ field: TelemetrySchema.Field) throws -> String {
            guard let text = event.texts[field] else { throw Problem.invalidArgument("\(place).\(field.rawValue) is missing.") }
            return text
        }
        let identifier = try required(.eventId)
        guard !identifier.isEmpty else { throw Problem.invalidArgument("\(place).eventId is empty.") }
        let name = try required(.eventName)
        _ = try required(.sessionId)
        guard let time = RelayTime(try required(.eventTimestamp)) else {
            throw Problem.invalidArgument("\(place).eventTimestamp is not a time.")
        }
        if let client = event.texts[.clientId] { try ClientIdentifier.check(client, place: "\(place).clientid") }
        let level = try WireEventFields.level(event.texts[.logLevel], "\(place).logLevel")
        var header = currentHeader()
        if header?.content.applies(to: event) != true {
            begin(WireLineHeader(above: event))
            header = currentHeader()
        }
        guard let header else { return }
        let kind = BlockSummary.Kind(
            level: level.storedNumber, name: key(of: name), scenario: event.texts[.scenario].map { key(of: $0) })
        let line = event.line(below: header.content)
        let shared = header.shared + (event.hasImplicitIdentifier ? header.session.count : 0)
        try line.withUnsafeBufferPointer {
            try append($0, shared, identifier: NumberedIdentifier(identifier), kind: kind, time: time)
        }
    }

    /// Adds the event of a line below the last header, with the line as it is.
    /// - Parameter line: the line with its line feed.
    /// - Returns: false if the line is invalid, or not in the form in which lines are kept.
    mutating func append(line: UnsafeBufferPointer<UInt8>) throws -> Bool {
        guard let outline = EventLineOutline(UnsafeBufferPointer(rebasing: line.dropLast())), outline.isPlain,
            let header = currentHeader(), header.keepsLines, let event = KeptLine(outline, line, header)
        else { return false }
        try append(line, header.shared + event.tableBytes, identifier: event.identifier, kind: event.kind, time: event.time)
        return true
    }

    /// - Parameter shared: the bytes that the event has in addition to its line.
    private mutating func append(
        _ line: UnsafeBufferPointer<UInt8>, _ shared: Int, identifier: NumberedIdentifier, kind: BlockSummary.Kind,
        time: RelayTime
    ) throws {
        guard batch.events.count < limits.batchEvents else {
            throw Problem.tooLarge("A batch has at most \(limits.batchEvents) events.")
        }
        bytes += line.count + shared
        if let sharing, bytes > limits.bodyBytes {
            throw Problem.tooLarge("With \(sharing) fields, the events have more than \(limits.bodyBytes) bytes.")
        }
        batch.append(line, identifier: identifier, kind: kind, time: time)
    }

    /// The key of a string, which probably repeats.
    private mutating func key(of text: String) -> Data {
        // Longer strings are different if their bytes are.
        guard text.utf8.count <= NameKey.canonicalLimit else { return NameKey.data(of: text) }
        if let key = keys[text] { return key }
        let key = NameKey.data(of: text)
        keys[text] = key
        return key
    }
}

/// The values of a line that is kept, as far as filters need them.
private struct KeptLine {
    let identifier: NumberedIdentifier
    let kind: BlockSummary.Kind
    let time: RelayTime
    /// The bytes in JSON of what the line has from the header's tables, and of the session in its identifier.
    let tableBytes: Int

    /// Nil if a value is invalid, or the attributes are written in another way than the relay's.
    init?(_ event: EventLineOutline, _ line: UnsafeBufferPointer<UInt8>, _ header: WireEventCollector.Header) {
        func string(_ place: Range<Int>) -> String {
            String(decoding: UnsafeBufferPointer(rebasing: line[place]), as: UTF8.self)
        }
        var bytes = 0
        func key(_ text: EventLineOutline.Text, _ table: [WireEventCollector.Name]) -> Data? {
            switch text {
            case .string(let place): return NameKey.data(of: string(place))
            case .number(let number):
                guard number < table.count else { return nil }
                bytes += table[Int(number)].count
                return table[Int(number)].key
            }
        }
        func identifier(after prefix: WireEventCollector.Name?, _ number: UInt64) -> NumberedIdentifier? {
            bytes += prefix?.count ?? 0
            return prefix.flatMap { NumberedIdentifier(prefix: $0.key, number: number) }
        }
        let identity: NumberedIdentifier? =
            switch event.identifier {
            case nil: identifier(after: header.session, UInt64(event.sequence))
            case .number(let number): identifier(after: header.prefix, number)
            case .string(let place): place.isEmpty ? nil : NumberedIdentifier(string(place))
            }
        let time =
            switch event.time {
            case .offset(let offset): header.content.start.flatMap { WireLineTime.time(offset, after: $0) }
            case .date(let place): RelayTime(string(place))
            }
        guard let identity, let time, let name = key(event.name, header.names) else { return nil }
        (self.identifier, self.time) = (identity, time)
        if case .number(let number) = event.thread {
            guard number < header.threads.count else { return nil }
            bytes += header.threads[Int(number)]
        }
        var scenario = header.scenario
        if let own = event.scenario {
            scenario = own.flatMap { key($0, header.scenarios) }
            if own != nil, scenario == nil { return nil }
        }
        if !event.hasPlainAttributes, let place = event.attributes, !Self.isAsWritten(line[place]) { return nil }
        kind = BlockSummary.Kind(level: (event.level ?? header.level).storedNumber, name: name, scenario: scenario)
        tableBytes = bytes
    }

    /// Whether attributes are valid and in the form in which the relay writes them, which every reader of lines reads in the same way.
    private static func isAsWritten(_ attributes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard let values = try? JSONReader.read(attributes, { try WireEventFields.attributes(&$0, .lines, "") }) else {
            return false
        }
        var writer = JSONWriter()
        writer.object { WireEventFields.write(values, inLine: &$0) }
        return writer.withBytes { $0.elementsEqual(attributes) }
    }
}
