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

extension JournalPosition {
    var cursor: TelemetryCursor { TelemetryCursor(rawValue: "\(file).\(offset).\(linesRead).\(events)") }

    init?(_ cursor: TelemetryCursor) {
        let parts = cursor.rawValue.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { UInt64($0) }
        guard parts.count == 4, numbers.count == 4, numbers[0] > 0 else { return nil }
        self.init(file: numbers[0], offset: numbers[1], linesRead: numbers[2], events: numbers[3])
    }
}
