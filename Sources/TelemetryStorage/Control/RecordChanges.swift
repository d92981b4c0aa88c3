import TelemetryModels

/// Follows the journal's entries about records. No change of a record lacks an entry, which is written before the change.
struct RecordChanges {
    /// The names of the files that may have changed, by directory.
    typealias Names = [String: Set<String>]

    /// The most entries that are read at once; with more, looking at the files is faster.
    private static let limit = 20_000

    private let layout: StoreLayout
    private let system: FileSystem
    /// The end of the journal as it was read last.
    private var position: JournalPosition?

    init(layout: StoreLayout, system: FileSystem) {
        self.layout = layout
        self.system = system
    }

    /// The files that were changed since the last call; nil if that is unknown, as at the first call.
    mutating func take() -> Names? {
        do {
            guard let start = position else {
                position = try end()
                return nil
            }
            // Set again at the end, so that everything is unknown after an error.
            position = nil
            var reader = JournalReader(layout: layout, system: system, diagnostics: nil, position: start)
            var names: Names = [:]
            for _ in 0..<Self.limit {
                guard let (line, _) = try reader.next() else {
                    let isWhole = reader.takeGap() == nil && reader.invalidLineCount == 0
                    position = isWhole ? reader.position : try end()
                    return isWhole ? names : nil
                }
                guard case .record(let change) = line else { continue }
                let file = StoreLayout.fileName(of: .init(recordName: change.recordName))
                names[layout.records(ofType: change.recordType), default: []].insert(file)
            }
            position = try end()
        } catch {
            // Unknown; what is read next reports the error.
        }
        return nil
    }

    /// The end of the newest journal file. An entry that is being written may be before it, and its change later: changes in progress
    /// are found by the files' inodes.
    private func end() throws(FileError) -> JournalPosition? {
        guard let newest = try system.list(layout.journal).compactMap(StoreLayout.journalNumber).max(),
            let status = try system.status(layout.journalFile(newest))
        else { return nil }
        return JournalPosition(file: newest, offset: status.size, events: 0)
    }
}
