import TelemetryModels
import TelemetrySystem

/// Finds the positions in the journal that cursors stand for, and what is missing between them and what can be read.
final class EventCursors {
    private let store: OpenStore
    /// The newest journal file when the store's identifier was last checked.
    private var newest = JournalFileWitness()

    init(_ store: OpenStore) { self.store = store }

    func cursor(at position: JournalPosition) -> TelemetryCursor {
        TelemetryCursor(rawValue: position.text(ofStore: store.id))
    }

    /// The position to read from, and how many events retention removed between the cursor and it.
    func start(after cursor: TelemetryCursor?) throws -> (position: JournalPosition, missed: UInt64) {
        try store.reading {
            if let newest = try files().max() { try identify(newest) }
            guard let cursor, !store.isFormer(cursor) else {
                let start = try oldest(from: 1)
                if start.file == 1 || cursor != nil { return (start, 0) }
                // Events removed by retention are not missing for a reader without a cursor.
                let lost = try missing(since: JournalPosition(file: 1, offset: 0, events: 0), until: start)
                return (start, lost.isLost ? lost.events : 0)
            }
            guard var position = JournalPosition(text: cursor.rawValue, ofStore: store.id) else {
                throw TelemetryTransportError.invalidArgument("\"\(cursor.rawValue)\" is not a valid cursor of this store.")
            }
            guard let status = try store.system.status(store.layout.journalFile(position.file)) else {
                let start = try oldest(from: position.file)
                return (start, try missing(since: position, until: start).events)
            }
            if position.offset > status.size {
                store.report(
                    .corruptFile,
                    "\(store.layout.journalFile(position.file)) was truncated; reading continues at its end.")
                position.offset = status.size
                position.linesRead = 0
            }
            return (position, 0)
        }
    }

    /// What the missing files contained; files not removed by the store are reported.
    func missing(since gap: JournalPosition, until next: JournalPosition) throws -> JournalLedger.Missing {
        let missing = try store.reading { try store.ledger.missing(since: gap, until: next) }
        if missing.isLost {
            for client in try store.reading({ try store.system.directories(in: store.layout.events) }) {
                store.segments.noteDamage(ofClient: client, at: "\(gap.file).log")
            }
            store.report(
                .corruptFile,
                "\(store.layout.journalFile(gap.file)) is missing; reading continues at "
                    + "\(store.layout.journalFile(next.file)), \(missing.events) events later.")
        }
        return missing
    }

    /// The number of the journal file at the position, or of the next existing one; nil at the end.
    func nextFile(_ position: inout JournalPosition) throws -> UInt64? {
        if try store.system.status(store.layout.journalFile(position.file)) != nil { return position.file }
        guard let next = try files().filter({ $0 > position.file }).min() else { return nil }
        _ = try missing(since: position, until: oldest(from: next))
        position.file = next
        return next
    }

    /// The numbers of the journal's files.
    func files() throws(FileError) -> [UInt64] {
        try store.system.list(store.layout.journal).compactMap(StoreLayout.journalNumber)
    }

    /// Adopts the journal's store identifier if it changed: the directory may have been removed and created again.
    private func identify(_ file: UInt64) throws {
        if newest.isSame(file) { return }
        newest.look(at: file, store.layout, store.system)
        store.recent = RecentReads()
        if let id = try head(of: file).storeID { store.adopt(id) }
    }

    /// The beginning of the oldest journal file with that number or a higher one; if there is none, of the oldest file.
    private func oldest(from number: UInt64) throws(FileError) -> JournalPosition {
        let files = try files()
        guard let oldest = files.filter({ $0 >= number }).min() ?? files.min() else {
            return JournalPosition(file: 1, offset: 0, events: 0)
        }
        return JournalPosition(file: oldest, offset: 0, events: try head(of: oldest).events)
    }

    private func head(of file: UInt64) throws(FileError) -> (storeID: String?, events: UInt64) {
        var reader = JournalReader(
            layout: store.layout, system: store.system, diagnostics: nil,
            position: JournalPosition(file: file, offset: 0, events: 0))
        guard let (line, _) = try reader.next(), case .head(let id, let events) = line else { return (nil, 0) }
        return (id, events)
    }
}
