/// A place in the journal, or inside a batch that the journal tells of.
struct JournalPosition: Equatable {
    /// The journal file's number; the first is 1.
    var file: UInt64
    /// The offset of a line in it.
    var offset: UInt64
    /// How many lines of the batch told of there were read.
    var linesRead: UInt64 = 0
    /// How many events all lines before the offset tell of, since the store began.
    var events: UInt64
}

extension UInt64 {
    /// The sum, or the largest number where it is larger: what files and callers name may be anything.
    func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

extension JournalPosition {
    /// Whether the other one is at the same line.
    func isPlace(_ other: JournalPosition) -> Bool { file == other.file && offset == other.offset }

    func cursor(ofStore storeID: String) -> TelemetryCursor {
        TelemetryCursor(rawValue: "\(storeID).\(file).\(offset).\(linesRead).\(events)")
    }

    /// Nil for what is no cursor of this store.
    init?(_ cursor: TelemetryCursor, ofStore storeID: String) {
        let parts = cursor.rawValue.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.dropFirst().compactMap { UInt64($0) }
        guard parts.count == 5, parts[0] == storeID, numbers.count == 4, (1..<StoreLayout.numberLimit).contains(numbers[0])
        else { return nil }
        self.init(file: numbers[0], offset: numbers[1], linesRead: numbers[2], events: numbers[3])
    }
}
