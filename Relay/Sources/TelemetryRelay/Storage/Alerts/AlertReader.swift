import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTransport

/// Evaluates alerts within one snapshot.
struct AlertReader {
    /// An event that an alert matches.
    private struct Match {
        let event: BlockReader.Event
        /// When its block arrived.
        let time: Int64
    }

    private struct Watcher {
        let alert: RelayAlert
        let reader: BlockReader
        let clients: Set<Int64>?
        let streams: Set<Int64>?
        let since: Int64
        var window: AlertWindow
        var matches: [Match] = []

        func concerns(_ block: EventBlock) -> Bool {
            block.numbers.upperBound >= since && clients?.contains(block.stream.client) ?? true
                && streams?.contains(block.stream.number) ?? true
        }
    }

    /// The text of the block that was read last, for alerts that match the same events.
    private final class LastText {
        private var last: (block: Int64, text: [UInt8])?

        func text(of block: EventBlock, _ db: any StorageConnection) throws -> [UInt8] {
            if let last, last.block == block.id { return last.text }
            let text = try block.text(db)
            last = (block.id, text)
            return text
        }
    }

    /// The maximum number of events that are evaluated at once.
    private static let span: Int64 = 20_000
    /// The maximum number of events of a message.
    private static let sample = 3

    private let db: any StorageConnection
    private let lastText = LastText()
    private var watchers: [Watcher] = []
    private var blocks: [EventBlock] = []

    init(_ db: any StorageConnection, _ watched: [RelayWatchedAlert], now: Date) throws {
        self.db = db
        for watched in watched {
            let row = try db.rows(
                "SELECT since, recent, fired FROM alert WHERE name_key = $1 AND revision = $2",
                [.bytes(NameKey.data(of: watched.alert.name)), .int(watched.alert.revision)]
            ).first
            // It was changed or removed since.
            guard let row else { continue }
            let selection = EventSelection(watched.filter, in: QueryContext(now: now))
            guard !selection.isEmpty else { continue }
            let streams = try selection.session.map { session in
                try Set(db.rows("SELECT id FROM event_stream WHERE session_key = $1", [.bytes(session)]).map { try $0.int(0) })
            }
            watchers.append(
                Watcher(
                    alert: watched.alert, reader: BlockReader(db, selection) { [lastText] in try lastText.text(of: $0, db) },
                    clients: try SelectedClients(selection, db).numbers, streams: streams, since: try row.int(0),
                    window: try AlertWindow(stored: row.bytes(1), fired: row.optionalInt(2))))
        }
    }

    /// Evaluates the first events from a number on.
    mutating func evaluate(from first: Int64, before next: Int64) throws -> RelayAlertEvaluation {
        guard !watchers.isEmpty else { return RelayAlertEvaluation(numbers: first...(next - 1), changes: [], firings: []) }
        let numbers = first...min(next - 1, first + Self.span - 1)
        let all = BlockReader(db, EventSelection(.all)) { _ in [] }
        try all.forEachBlock(in: numbers, .ascending, Set(EventBlock.Part.allCases)) { block in
            try Task.checkCancellation()
            do {
                try match(block, in: numbers)
            } catch let error as RelayStorageError where error == BlockScanner.malformed {
                // Nobody can read its events; a check of the database reports it.
            }
            return true
        }
        var changes: [RelayAlertEvaluation.Change] = []
        var firings: [RelayFiring] = []
        for index in watchers.indices where !watchers[index].matches.isEmpty {
            let matches = watchers[index].matches.sorted { $0.event.entry.number < $1.event.entry.number }
            let alert = watchers[index].alert
            for fired in watchers[index].window.add(matches.map(\.time), for: alert) {
                firings.append(RelayFiring(alert: alert, sample: try sample(of: matches[...fired], for: alert)))
            }
            changes.append(.init(alert: alert, window: watchers[index].window))
        }
        return RelayAlertEvaluation(numbers: numbers, changes: changes, firings: firings)
    }

    private mutating func match(_ block: EventBlock, in numbers: ClosedRange<Int64>) throws {
        let concerned = watchers.indices.filter { watchers[$0].concerns(block) }
        guard !concerned.isEmpty else { return }
        let summary = try block.summary()
        var isNeeded = false
        for index in concerned {
            let numbers = max(numbers.lowerBound, watchers[index].since)...numbers.upperBound
            let events = try watchers[index].reader.matches(block, summary, in: numbers, index: blocks.count)
            if events.isEmpty { continue }
            watchers[index].matches += events.map { Match(event: $0, time: block.received.upperBound) }
            isNeeded = true
        }
        if isNeeded { blocks.append(block) }
    }

    private func sample(of matches: ArraySlice<Match>, for alert: RelayAlert) throws -> [RelayStoredEvent] {
        try matches.suffix(min(Self.sample, alert.count)).map { match in
            let text = try lastText.text(of: blocks[match.event.block], db)
            let (header, line) = (match.event.header, match.event.line)
            guard max(header.upperBound, line.upperBound) <= text.count else { throw BlockScanner.malformed }
            // A message has no positions.
            return RelayStoredEvent(
                cursor: RelayEventCursor(rawValue: ""), header: Array(text[header]), line: Array(text[line]))
        }
    }
}
