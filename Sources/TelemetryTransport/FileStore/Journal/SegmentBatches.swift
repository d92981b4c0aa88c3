import TelemetrySystem

/// The batches of one client's segments, or of all clients', read from the journal as it grows.
struct SegmentBatches {
    private var lines: JournalReader
    private let client: String?
    private var ends = SegmentEnds()
    private var batches: [String: [String: [JournalBatch]]] = [:]

    /// Nothing is read before ``update()``.
    init(layout: StoreLayout, system: FileSystem, client: String? = nil) throws(FileError) {
        let oldest = try system.list(layout.journal).compactMap(StoreLayout.journalNumber).min()
        lines = JournalReader(
            layout: layout, system: system, diagnostics: nil,
            position: JournalPosition(file: oldest ?? 1, offset: 0, events: 0))
        self.client = client
    }

    /// Reads the entries added to the journal since the last call.
    mutating func update() throws(FileError) {
        while let (line, _) = try lines.next() {
            guard case .batch(let batch) = line, client == nil || batch.client == client, ends.insert(batch) else { continue }
            batches[batch.client, default: [:]][batch.segment, default: []].append(batch)
        }
    }

    /// The batches of a segment, in the order of their offsets.
    func batches(of segment: String, client: String) -> [JournalBatch] { batches[client]?[segment] ?? [] }

    func segments(of client: String) -> Dictionary<String, [JournalBatch]>.Keys? { batches[client]?.keys }
}
