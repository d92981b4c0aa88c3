import TelemetryModels
import TelemetryStorage

/// Looks up single batches, and the headers of their sessions.
struct BatchSource {
    let segments: SegmentReader
    let layout: StoreLayout
    let system: FileSystem

    /// The batch of an entry; nil if it is another kind of entry, or invalid.
    func batch(at offset: UInt64, in file: UInt64) throws(FileError) -> JournalBatch? {
        var lines = reader(of: file, at: offset)
        guard let (line, at) = try lines.next(), at.file == file, at.offset == offset, case .batch(let batch) = line else {
            return nil
        }
        return batch
    }

    func reader(of file: UInt64, at offset: UInt64) -> JournalReader {
        JournalReader(
            layout: layout, system: system, diagnostics: nil,
            position: JournalPosition(file: file, offset: offset, events: 0), readsSummaries: true)
    }

    /// The client and the device of a batch's session, from its header.
    func origin(of batch: JournalBatch) throws(FileError) -> EventCountTable.Origin? {
        try segments.context(of: batch).map { EventCountTable.Origin(clientId: $0.clientId, device: $0.device) }
    }
}
