/// What reading a page leaves for the next one.
struct RecentReads {
    var ends = RecentSegmentEnds()
    /// The reading of the journal where the last page ended.
    var walk: (walk: JournalWalk, position: JournalPosition, filter: TelemetryEventFilter)?
    /// The entries of the journal file that was last read backwards.
    var entries: JournalFileEntries?
}

/// The entries of a journal file that may have events matching a filter, which the next page backwards needs again.
struct JournalFileEntries {
    let filter: TelemetryEventFilter
    var positions: [JournalPosition] = []
    /// The position after the last entry that was read.
    var end: JournalPosition

    /// The entries before a position, including one that it divides; by default all of them.
    func positions(before end: JournalPosition?) -> ArraySlice<JournalPosition> {
        guard let end else { return positions[...] }
        return positions.prefix(upTo: positions.lastIndex { $0.isBefore(end) }.map { $0 + 1 } ?? 0)
    }
}

extension JournalPosition {
    /// Whether a part of the entry at this position is before the other position of the same file.
    func isBefore(_ end: JournalPosition) -> Bool {
        offset < end.offset || offset == end.offset && end.linesRead > 0
    }
}
