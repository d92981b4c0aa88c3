import TelemetrySystem

/// A position in the journal, or within the lines of a batch.
struct JournalPosition: Equatable {
    /// The journal file's number; the first is 1.
    var file: UInt64
    /// The offset of a line in it.
    var offset: UInt64
    /// The number of lines read of the batch at the offset.
    var linesRead: UInt64 = 0
    /// The number of events in all entries before the offset, since the store was created.
    var events: UInt64
}

extension UInt64 {
    /// The sum, or the maximum if it overflows: numbers from files and callers may have any value.
    func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

extension JournalPosition {
    /// The end of the newest journal file; nil if there is none.
    static func end(of layout: StoreLayout, _ system: FileSystem) throws(FileError) -> JournalPosition? {
        guard let newest = try system.list(layout.journal).compactMap(StoreLayout.journalNumber).max() else { return nil }
        let size = try system.status(layout.journalFile(newest))?.size ?? 0
        return JournalPosition(file: newest, offset: size, events: 0)
    }

    /// Whether the other one is at the same line.
    func isPlace(_ other: JournalPosition) -> Bool { file == other.file && offset == other.offset }

    /// The text of a cursor for the position.
    func text(ofStore storeID: String) -> String { "\(storeID).\(file).\(offset).\(linesRead).\(events)" }

    /// Reads the text of a cursor. Returns nil if it is not a valid cursor of this store.
    init?(text: String, ofStore storeID: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.dropFirst().compactMap { UInt64($0) }
        guard parts.count == 5, parts[0] == storeID, numbers.count == 4, (1..<StoreLayout.numberLimit).contains(numbers[0])
        else { return nil }
        self.init(file: numbers[0], offset: numbers[1], linesRead: numbers[2], events: numbers[3])
    }
}
