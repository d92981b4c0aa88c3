import TelemetryModels
import TelemetrySystem

/// Looks up batches, and the headers of their sessions.
struct BatchSource {
    let segments: SegmentReader
    let layout: StoreLayout
    let system: FileSystem

    func entries(of file: UInt64) -> EntryReader { EntryReader(file: file, layout: layout, system: system, readsSummaries: true) }

    /// The client and the device of a batch's session, from its header.
    func origin(of batch: JournalBatch) throws(FileError) -> EventCountTable.Origin? {
        try segments.context(of: batch).map { EventCountTable.Origin(clientId: $0.clientId, device: $0.device) }
    }
}

/// Reads single entries of a journal file, in the order of their offsets.
struct EntryReader {
    private let file: UInt64
    private var lines: JournalReader
    private var read: (line: JournalLine, at: JournalPosition)?

    init(file: UInt64, layout: StoreLayout, system: FileSystem, readsSummaries: Bool) {
        self.file = file
        lines = JournalReader(
            layout: layout, system: system, diagnostics: nil, position: JournalPosition(file: file, offset: 0, events: 0),
            readsSummaries: readsSummaries)
    }

    /// The batch of an entry; nil if it is another kind of entry, or invalid.
    mutating func batch(at offset: UInt64) throws(FileError) -> JournalBatch? {
        if read.map({ $0.at.file == file && $0.at.offset < offset }) ?? true {
            lines.jump(to: offset, events: 0)
            read = try lines.next()
        }
        // The reader passes over an invalid line to the next one.
        guard let (line, at) = read, at.file == file, at.offset == offset, case .batch(let batch) = line else { return nil }
        return batch
    }
}
