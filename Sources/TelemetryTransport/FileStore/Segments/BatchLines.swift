@_spi(Tooling) import TelemetryModels
import TelemetrySystem

/// Where the lines of a batch are. They can be read on any thread.
struct BatchLines: Sendable {
    /// The maximum size of a batch whose bytes are searched before its lines are read.
    private static let maximumSearchedBytes = 4 << 20

    let batch: JournalBatch
    let file: OpenFile
    let place: Range<UInt64>
    /// The header above the first line; nil if there is none, or it cannot be read.
    let context: EventContext?

    /// Whether no event of the batch is one that is looked for. Other headers may stand in between.
    func isExcluded(by search: LineSearch?) throws(FileError) -> Bool {
        let count: Int = MemorySize.count(from: place.lowerBound, to: place.upperBound)
        guard let search = context.flatMap({ search?.below($0) }), count <= Self.maximumSearchedBytes else { return false }
        let bytes = try file.read(at: place.lowerBound, count: count)
        return bytes.withUnsafeBufferPointer { search.excludes($0) }
    }

    /// Calls `body` for each event with its line's number in the batch, unless the search excludes all of them.
    /// - Returns: The segment's lines that cannot be read.
    func examine(_ search: LineSearch?, _ body: (StoredEvent, _ line: UInt64) throws -> Void) throws -> [UInt64] {
        if try isExcluded(by: search) { return [] }
        var decoder = EventLineDecoder(directory: batch.client, context: context)
        var lines = FileLines(file, place)
        var count: UInt64 = 0
        var damaged: [UInt64] = []
        // All these bytes belong to the batch, even if damage changed the number of lines.
        while let line = try lines.next() {
            let decoded = try decoder.decode(line, of: lines) {
                try body($0, count)
                return false
            }
            count += 1
            if case .corrupt = decoded { damaged.append(batch.line + count) }
        }
        if count != batch.lineCount { damaged.append(batch.line + count + 1) }
        return damaged
    }
}
