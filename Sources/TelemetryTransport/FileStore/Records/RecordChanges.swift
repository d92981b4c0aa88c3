import TelemetryModels
import TelemetrySystem

/// Follows the journal's entries about records. No change of a record lacks an entry, which is written before the change.
struct RecordChanges {
    /// The names of the files that may have changed, by directory.
    typealias Names = [String: Set<String>]

    /// The maximum number of entries that are read at once; with more, checking the files is faster.
    private static let limit = 20_000

    private let layout: StoreLayout
    private let system: FileSystem
    /// The end of the journal as it was read last, in this file.
    private var position: JournalPosition?
    private var witness = JournalFileWitness()

    init(layout: StoreLayout, system: FileSystem) {
        self.layout = layout
        self.system = system
    }

    /// The files that were changed since the last call; nil if that is unknown: at the first call, and if the journal was cut,
    /// replaced or removed, or cannot be read.
    mutating func take() -> Names? {
        // Set again at the end, so that everything is unknown after an error.
        let start = position
        position = nil
        do {
            if let start, try isWhole(start), let (names, end) = try read(from: start) {
                moveTo(end)
                return names
            }
            // An entry before the end may be of a change that is still in progress: the file's inode reveals that one.
            if let end = try JournalPosition.end(of: layout, system) { moveTo(end) }
        } catch {
            // Unknown; what is read next reports the error.
        }
        return nil
    }

    private mutating func moveTo(_ end: JournalPosition) {
        if !witness.isSame(end.file) { witness.look(at: end.file, layout, system) }
        position = end
    }

    /// Whether the file is still the one that was read, and not shorter.
    private func isWhole(_ position: JournalPosition) throws(FileError) -> Bool {
        guard witness.isSame(position.file) else { return false }
        return try system.status(layout.journalFile(position.file))?.size ?? 0 >= position.offset
    }

    /// The names from a position on, and the end; nil if there are too many entries, or some cannot be read.
    private func read(from start: JournalPosition) throws -> (Names, JournalPosition)? {
        var reader = JournalReader(layout: layout, system: system, diagnostics: nil, position: start)
        var names: Names = [:]
        for _ in 0..<Self.limit {
            guard let (line, _) = try reader.next() else {
                return reader.takeGap() == nil && reader.invalidLineCount == 0 ? (names, reader.position) : nil
            }
            guard case .record(let change) = line else { continue }
            let file = StoreLayout.fileName(of: .init(recordName: change.recordName))
            names[layout.records(ofType: change.recordType), default: []].insert(file)
        }
        return nil
    }
}
