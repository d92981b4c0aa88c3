import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTransport

/// Verifies the tables of events within one snapshot.
struct EventCheck {
    private struct Stream {
        let client: Int64
        let session: Data
    }

    /// An interval of `event_identity`.
    private struct Identity {
        let client: Int64
        let prefix: Data
        let first: Int64
        let last: Int64
    }

    /// The number of blocks that are read at once.
    private static let step = 64
    private static let columns = EventBlock.columns(with: Set(EventBlock.Part.allCases))

    private let db: any StorageConnection
    private let state: EventState
    private var clients: [Int64: Data] = [:]
    private var streams: [Int64: Stream] = [:]
    /// The number of stored events by the row of their identifiers.
    private var stored: [Int64: Int64] = [:]
    /// The numbers of events that were read, 64 in each value.
    private var numbers: [Int64: UInt64] = [:]
    private var blocks = 0
    private var events: Int64 = 0
    private var bytes: Int64 = 0

    init(_ db: any StorageConnection) throws {
        (self.db, state) = (db, try EventState.fetch(db))
    }

    mutating func run(_ report: inout RelayCheckReport) throws {
        try readStreams(&report)
        try checkBlocks(&report)
        report.note(Int(events), "events")
        report.note(blocks, "blocks")
        report.expect(
            state.firstEvent >= 1 && state.firstEvent <= state.nextEvent, "event_state: first_event is not a number of an event")
        report.expect(state.events == events, "event_state: counts \(state.events) events, but \(events) are stored")
        report.expect(state.eventBytes == bytes, "event_state: event_bytes is \(state.eventBytes), but the blocks have \(bytes)")
        try checkIdentities(&report)
        try checkExpired(&report)
    }

    private mutating func readStreams(_ report: inout RelayCheckReport) throws {
        try db.forEachRow("SELECT id, client_key FROM event_client", []) { clients[try $0.int(0)] = try $0.bytes(1) }
        try db.forEachRow("SELECT id, client, session_key FROM event_stream", []) { row in
            let (id, stream) = (try row.int(0), Stream(client: try row.int(1), session: try row.bytes(2)))
            streams[id] = stream
            report.expect(clients[stream.client] != nil, "event_stream \(id): has no client")
        }
    }

    private mutating func checkBlocks(_ report: inout RelayCheckReport) throws {
        var last: Int64?
        while true {
            let position = last.map { "WHERE id > \($0) " } ?? ""
            let rows = try db.rows(
                "SELECT \(Self.columns), body FROM event_block \(position)ORDER BY id LIMIT \(Self.step)")
            for row in rows {
                let id = try row.int(0)
                (last, blocks) = (id, blocks + 1)
                report.expect("event_block \(id)") { try check(row, &$0) }
            }
            guard rows.count == Self.step else { return }
            try Task.checkCancellation()
        }
    }

    /// - Throws: if the block cannot be read, with what of it.
    private mutating func check(_ row: StorageRow, _ report: inout RelayCheckReport) throws {
        let block = try Self.decode("its columns", { try EventBlock(row) })
        // Counted even if the rest cannot be read, so that one fault is one line.
        let firstStored = max(state.firstEvent, block.numbers.lowerBound)
        bytes += block.size
        var entries: [BlockEntry]?
        defer {
            events += entries.map { Int64($0.count { $0.number >= firstStored }) } ?? Int64(block.count)
        }
        let summary = try Self.decode("its summary", block.summary)
        let decoded = try Self.decode("its entries", { try block.entries(db, of: summary) })
        entries = decoded
        let text = try Self.decode("its body", { try block.text(of: row.bytes(16)) })
        for entry in decoded where entry.number >= state.firstEvent { stored[entry.identity, default: 0] += 1 }

        let place = "event_block \(block.id)"
        checkColumns(block, summary, decoded, row) { report.add("\(place): \($0)") }
        try checkEvents(block, summary, decoded, text, place, &report)
    }

    private static func decode<Value>(_ part: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as RelayStorageError {
            guard case .corrupt = error else { throw error }
            throw RelayStorageError.corrupt("\(part) cannot be decoded")
        }
    }

    /// Compares the columns with the entries and the tables of counters.
    private mutating func checkColumns(
        _ block: EventBlock, _ summary: BlockSummary, _ entries: [BlockEntry], _ row: StorageRow, _ fault: (String) -> Void
    ) {
        func expect(_ condition: Bool, _ text: @autoclosure () -> String) { if !condition { fault(text()) } }
        expect(block.id < state.nextBlock, "next_block is not after it")
        expect(block.numbers.upperBound < state.nextEvent, "next_event is not after its events")
        let ends = [entries.first?.number, entries.last?.number]
        expect(ends == [block.numbers.lowerBound, block.numbers.upperBound], "first and last are not those of its events")
        let seconds = entries.map(\.time.seconds)
        expect(
            seconds.min() == block.seconds.lowerBound && seconds.max() == block.seconds.upperBound,
            "first_second and last_second are not those of its events")
        let size = (13...16).reduce(Int64(EncodedBlock.overhead)) { $0 + Int64((try? row.optionalBytes($1)?.count) ?? 0) }
        expect(size == block.size, "size is \(block.size), but the row has \(size)")
        var counts = [Int](repeating: 0, count: summary.cellCount)
        for entry in entries { counts[entry.cell] += 1 }
        expect(counts == summary.counts, "its summary does not have the numbers of its events")
        var repeated = 0
        for entry in entries {
            let bit = UInt64(1) << UInt64(entry.number & 63)
            if numbers[entry.number >> 6, default: 0] & bit != 0 { repeated += 1 }
            numbers[entry.number >> 6, default: 0] |= bit
        }
        expect(repeated == 0, "\(repeated) of its numbers are also in another block")
        let stream = streams[block.stream.number]
        expect(stream != nil && stream?.client == block.stream.client, "its stream and its client do not exist together")
    }

    /// Reads all events of a block, and compares them with what the block and the tables of identifiers have of them.
    private func checkEvents(
        _ block: EventBlock, _ summary: BlockSummary, _ entries: [BlockEntry], _ text: [UInt8], _ place: String,
        _ report: inout RelayCheckReport
    ) throws {
        let identities = try identities(of: Set(entries.map(\.identity)))
        let (stream, client) = (streams[block.stream.number], clients[block.stream.client])
        let all = [Bool](repeating: true, count: summary.cellCount)
        let events = BlockReader.candidates(in: entries, where: all, EventSelection(.all), 1...Int64.max, index: 0)
        var words = WordFilter.Builder()
        var (kinds, streams, names) = (0, 0, 0)
        do {
            try BlockReader.read(events, in: text, with: QueryLiterals(nil, nil)) { event, stored in
                if block.words != nil { words.add(stored) }
                func key(_ field: QueryField) -> Data? { stored.value(of: field)?.stringValue.map(NameKey.data) }
                let kind = summary.kind(ofCell: event.entry.cell)
                let severity = stored.value(of: .severity)?.stringValue
                let isOfKind =
                    key(.name) == kind.name && key(.scenario) == kind.scenario
                    && stored.value(of: .level)?.stringValue == TelemetryLogLevel(storedNumber: kind.level)?.rawValue
                    && (kind.severity == nil || kind.severity?.rawValue == severity)
                if !isOfKind { kinds += 1 }
                if key(.client) ?? NameKey.none != client || key(.session) != stream?.session { streams += 1 }
                let isIdentified =
                    event.entry.number < state.firstEvent
                    || Self.isIdentified(
                        stored.value(of: .id)?.stringValue, by: identities[event.entry.identity], of: block.stream.client)
                if !isIdentified { names += 1 }
            }
        } catch let error as RelayStorageError where error == BlockScanner.malformed {
            throw RelayStorageError.corrupt("a line of its body cannot be read")
        }
        report.expect(kinds == 0, "\(place): its summary has another level, name, scenario or severity for \(kinds) events")
        report.expect(streams == 0, "\(place): \(streams) of its events are of another client or session")
        report.expect(names == 0, "\(place): event_identity does not have the identifiers of \(names) of its events")
        if let filter = block.words {
            report.expect(words.isContained(in: filter), "\(place): words are not those of its events")
        }
    }

    private func identities(of ids: Set<Int64>) throws -> [Int64: Identity] {
        let statements = ids.map {
            Statement("SELECT id, client, prefix, first, last FROM event_identity WHERE id = $1", [.int($0)])
        }
        return Dictionary(
            try db.rows(statements).compactMap(\.first).map { row in
                (
                    try row.int(0),
                    Identity(client: try row.int(1), prefix: try row.bytes(2), first: try row.int(3), last: try row.int(4))
                )
            }
        ) { $1 }
    }

    private static func isIdentified(_ id: String?, by identity: Identity?, of client: Int64) -> Bool {
        guard let identity, let identifier = id.map(NumberedIdentifier.init) else { return false }
        let number = identifier.number ?? EventIdentities.single
        return identity.client == client && identity.prefix == identifier.prefix
            && identity.first <= number && number <= identity.last
    }

    private func checkIdentities(_ report: inout RelayCheckReport) throws {
        var (remembered, previous): (Int64, Identity?) = (0, nil)
        try db.forEachRow(
            "SELECT id, client, prefix, first, last, stored FROM event_identity ORDER BY client, prefix, first", []
        ) { row in
            report.expect("event_identity") { report in
                let place = "event_identity \(try row.int(0))"
                let identity = Identity(
                    client: try row.int(1), prefix: try row.bytes(2), first: try row.int(3), last: try row.int(4))
                let count = try row.int(5)
                if count == 0 { remembered += 1 }
                report.expect(clients[identity.client] != nil, "\(place): has no client")
                let isSingle = identity.first == EventIdentities.single && identity.last == EventIdentities.single
                let isInterval = identity.first >= 0 && identity.first <= identity.last
                report.expect(isSingle || isInterval, "\(place): is not an interval of numbers")
                // A deleted block that could not be read leaves its identifiers counted.
                let found = stored[try row.int(0)] ?? 0
                report.expect(count >= found, "\(place): counts \(count) events, but \(found) are stored")
                if let previous, previous.client == identity.client, previous.prefix == identity.prefix {
                    report.expect(previous.last < identity.first, "\(place): overlaps the interval before it")
                }
                previous = identity
            }
        }
        report.expect(
            state.remembered == remembered,
            "event_state: counts \(state.remembered) remembered identifiers, but there are \(remembered)")
    }

    private func checkExpired(_ report: inout RelayCheckReport) throws {
        try db.forEachRow("SELECT id, client, first, last, count FROM event_expired", []) { row in
            report.expect("event_expired") { report in
                let place = "event_expired \(try row.int(0))"
                report.expect(clients[try row.int(1)] != nil, "\(place): has no client")
                let (first, last, count) = (try row.int(2), try row.int(3), try row.int(4))
                report.expect(
                    first >= 1 && first <= last && last < state.nextEvent && count >= 1, "\(place): is not a run of events")
            }
        }
    }
}
