import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTransport

/// Evaluates alerts within one snapshot.
struct AlertReader {
    /// An event that an alert matches.
    private struct Match {
        let event: BlockReader.Event
        /// When it arrived, in milliseconds. Of a merged block only the first and the last arrival are known, and others lie between
        /// them in proportion to their numbers.
        let time: Int64

        init(_ event: BlockReader.Event, in block: EventBlock) {
            self.event = event
            let (numbers, received) = (block.numbers, block.received)
            let part = Double(event.entry.number - numbers.lowerBound) / Double(max(1, numbers.upperBound - numbers.lowerBound))
            time = received.lowerBound + Int64(Double(received.upperBound - received.lowerBound) * part)
        }
    }

    private struct Watcher {
        let alert: RelayAlert
        let condition: RelayAlert.Events
        let selection: EventSelection
        let reader: BlockReader
        let clients: Set<Int64>?
        let streams: Set<Int64>?
        let since: Int64
        var window: AlertWindow
        var matches: [Match] = []
        /// Whether its query is about more than the kind of an event: its client, session or time, or its words.
        let (usesOrigin, usesWords): (Bool, Bool)

        init(
            _ watched: RelayWatchedAlert, _ selection: EventSelection, since: Int64, window: AlertWindow, streams: Set<Int64>?,
            _ db: any StorageConnection
        ) throws {
            (alert, condition) = (watched.alert, watched.condition)
            (self.selection, self.since, self.window, self.streams) = (selection, since, window, streams)
            reader = BlockReader(db, selection) { _ in [] }
            clients = try SelectedClients(selection, db).numbers
            usesOrigin = !selection.fields.isDisjoint(with: [.client, .session, .time])
            usesWords = selection.usesWords
        }

        /// Whether it concerns a block with events of these numbers.
        func watches(_ block: EventBlock, _ numbers: ClosedRange<Int64>) -> Bool {
            since <= min(numbers.upperBound, block.numbers.upperBound) && clients?.contains(block.stream.client) ?? true
                && streams?.contains(block.stream.number) ?? true
        }

        /// Whether events of a block may not match though others of their kind do.
        func depends(on block: EventBlock) -> Bool { usesOrigin || (usesWords && block.words != nil) }

        /// Whether an event that it may match is one of those that it watches, and matches.
        func watches(_ event: BlockReader.Event, _ stored: StoredEvent) -> Bool {
            event.entry.number >= since && selection.contains(event.entry.time) && selection.contains(stored)
        }
    }

    /// The text of the block that was read last, from which messages take their events.
    private final class LastText {
        private var last: (block: Int64, text: [UInt8])?

        func text(of block: EventBlock, _ db: any StorageConnection) throws -> [UInt8] {
            if let last, last.block == block.id { return last.text }
            let text = try block.text(db)
            last = (block.id, text)
            return text
        }
    }

    /// The maximum number of events that are evaluated at once, and about that of the bytes that are read for them: as long as an
    /// evaluation reads, the write-ahead log grows.
    private static let (span, maximumBytes): (Int64, Int) = (10_000, 4 << 20)
    /// The maximum number of events of a message.
    private static let sample = 3

    private let db: any StorageConnection
    private let lastText = LastText()
    private var watchers: [Watcher] = []
    /// Has the literals of the watchers.
    private var lines = StoredEventReader([])
    private var blocks: [EventBlock] = []
    /// The bytes of the texts that were read, but for those of blocks that begin before the first event: these would be counted each time.
    private var bytes = 0
    /// The indices of the watchers that may match events of a kind. Blocks have few kinds, and most watchers none of them.
    private var candidates: [BlockSummary.Kind: [Int]] = [:]

    init(_ db: any StorageConnection, _ watched: [RelayWatchedAlert], now: Date) throws {
        self.db = db
        var rows: [Int64: StorageRow] = [:]
        for row in try db.rows("SELECT revision, since, recent, fired FROM alert") { rows[try row.int(0)] = row }
        for watched in watched {
            // It may have been removed since.
            guard let row = rows[watched.alert.revision] else { continue }
            let selection = EventSelection(watched.filter, in: QueryContext(now: now))
            guard !selection.isEmpty else { continue }
            let streams = try selection.session.map { session in
                try Set(db.rows("SELECT id FROM event_stream WHERE session_key = $1", [.bytes(session)]).map { try $0.int(0) })
            }
            // One that cannot be read begins anew.
            let window = (try? AlertWindow(stored: row.bytes(2), fired: row.optionalInt(3))) ?? AlertWindow()
            watchers.append(try Watcher(watched, selection, since: row.int(1), window: window, streams: streams, db))
        }
        lines = StoredEventReader(watchers.map(\.selection.literals))
    }

    /// Evaluates the first events from a number on.
    mutating func evaluate(from first: Int64, before next: Int64, of revision: Int64) throws -> RelayAlertEvaluation {
        var last = next - 1
        var unreadable = 0
        if !watchers.isEmpty {
            last = min(last, first + Self.span - 1)
            var isEmpty = true
            let all = BlockReader(db, EventSelection(.all)) { _ in [] }
            do {
                try all.forEachBlock(in: first...last, .ascending, Set(EventBlock.Part.allCases)) { block in
                    try Task.checkCancellation()
                    isEmpty = false
                    if bytes >= Self.maximumBytes, block.numbers.lowerBound > first {
                        last = block.numbers.lowerBound - 1
                        return false
                    }
                    if try !match(block, in: first...last) { unreadable += 1 }
                    return true
                }
            } catch let error as RelayStorageError where error == BlockScanner.malformed {
                // Otherwise, later events would never be evaluated.
                (unreadable, isEmpty) = (unreadable + 1, false)
            }
            // There may be a wide gap, such as after a restore.
            if isEmpty { last = (try firstEvent(after: last) ?? next) - 1 }
        }
        var changes: [RelayAlertEvaluation.Change] = []
        var firings: [RelayFiring] = []
        for index in watchers.indices where !watchers[index].matches.isEmpty {
            // Later ones are of a block that is read again.
            let matches = watchers[index].matches.filter { $0.event.entry.number <= last }
                .sorted { $0.event.entry.number < $1.event.entry.number }
            let (alert, condition) = (watchers[index].alert, watchers[index].condition)
            for fired in watchers[index].window.add(matches.map(\.time), for: condition, quiet: alert.quiet) {
                let sample = sample(of: matches[...fired].suffix(condition.count))
                firings.append(RelayFiring(alert: alert, count: condition.count, sample: sample))
            }
            changes.append(.init(alert: alert, window: watchers[index].window))
        }
        return RelayAlertEvaluation(
            numbers: first...last, hasMore: last < next - 1, revision: revision, changes: changes, unreadable: unreadable,
            firings: firings)
    }

    private func firstEvent(after number: Int64) throws -> Int64? {
        try db.int("SELECT first FROM event_block WHERE first > $1 ORDER BY first LIMIT 1", [.int(number)])
    }

    /// - Returns: whether the block can be read; otherwise none of its events matches.
    private mutating func match(_ block: EventBlock, in numbers: ClosedRange<Int64>) throws -> Bool {
        var found: [(watcher: Int, event: BlockReader.Event)] = []
        do {
            let summary = try block.summary()
            let watching = try watching(block, summary, in: numbers)
            let isRead = watching.map { !$0.isEmpty }
            guard isRead.contains(true) else { return true }
            let entries = try block.entries(db, of: summary)
            let events = BlockReader.candidates(in: entries, where: isRead, EventSelection(.all), numbers, index: blocks.count)
            guard !events.isEmpty else { return true }
            var lines = lines
            let text = try lastText.text(of: block, db)
            if block.numbers.lowerBound >= numbers.lowerBound { bytes += text.count }
            try BlockReader.read(events, in: text, with: &lines, { watching[$0.entry.cell] }) { [watchers] event, index, stored in
                if watchers[index].watches(event, stored) { found.append((index, event)) }
            }
        } catch let error as RelayStorageError where error == BlockScanner.malformed {
            return false
        }
        if !found.isEmpty { blocks.append(block) }
        for (watcher, event) in found { watchers[watcher].matches.append(Match(event, in: block)) }
        return true
    }

    /// The indices of the watchers that may match the events of each cell of a block.
    private mutating func watching(
        _ block: EventBlock, _ summary: BlockSummary, in numbers: ClosedRange<Int64>
    ) throws -> [[Int]] {
        var cells = (0..<summary.cellCount).map { cell in
            let kind = summary.kind(ofCell: cell)
            let known = candidates[kind] ?? watchers.indices.filter { watchers[$0].reader.mayMatch(kind) }
            candidates[kind] = known
            return known
        }
        for index in watchers.indices {
            let isRead: [Bool]
            if !watchers[index].watches(block, numbers) {
                isRead = cells.map { _ in false }
            } else if watchers[index].depends(on: block), cells.contains(where: { $0.contains(index) }) {
                isRead = try watchers[index].reader.mayMatch(block, summary)
            } else {
                continue
            }
            for cell in cells.indices where !isRead[cell] { cells[cell].removeAll { $0 == index } }
        }
        return cells
    }

    /// The last of the events that can be read, as many as a message may have.
    private func sample(of matches: ArraySlice<Match>) -> [RelayStoredEvent] {
        var bytes = 0
        return matches.suffix(Self.sample).compactMap { match in
            let (header, line) = (match.event.header, match.event.line)
            guard let text = try? lastText.text(of: blocks[match.event.block], db),
                max(header.upperBound, line.upperBound) <= text.count
            else { return nil }
            bytes += header.count + line.count
            guard bytes <= RelayFiring.maximumBytes else { return nil }
            // A message has no positions.
            return RelayStoredEvent(
                cursor: RelayEventCursor(rawValue: ""), header: Array(text[header]), line: Array(text[line]))
        }
    }
}
