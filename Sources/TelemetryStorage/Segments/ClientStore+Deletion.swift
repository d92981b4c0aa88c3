import TelemetryModels

extension ClientStore {
    /// Removes the events of a segment that match: the segment where nothing is left in it, otherwise their lines' content.
    ///
    /// The lines themselves stay, empty, so that every line of a batch keeps its number. Nil where the journal is busy.
    package func delete(
        _ selection: EventSelection, from segment: String, toldBy batches: inout SegmentBatches
    ) throws -> Int? {
        guard try shared.journal.begin() != nil else { return nil }
        defer { shared.journal.end() }
        try batches.update()
        let told = batches.batches(of: segment, client: name)
        return try withIndex { try delete(selection, from: segment, told, $0) }
    }

    private func delete(
        _ selection: EventSelection, from segment: String, _ batches: [JournalBatch], _ index: IdentityIndex
    ) throws -> Int {
        let old: OpenFile
        do { old = try system.open(file(of: segment), for: .read) } catch {
            guard error.isNotFound else { throw error }
            return 0
        }
        let form = SegmentForm(ofSegment: try old.read(at: 0, count: SegmentForm.maximumBytes))
        var rewriter = try SegmentRewriter(
            client: name, file: old, map: SegmentMap(form: form, file: old), batches: batches, without: selection)
        let counts = rewriter.counts
        // What cannot be read goes with its client only: it may be what the filter does not match.
        let isWhole = selection.isWholeClient
        let keptCount = counts.kept + (isWhole ? 0 : counts.unreadable)
        if counts.removed == 0, !rewriter.hasRemovedUntold, keptCount > 0 { return 0 }
        // Of lines that cannot be read, or that the journal does not tell of, it is not known whether they were counted.
        try removing(counts.unreadable == 0 && !rewriter.hasRemovedUntold ? counts.removed : nil, index) {
            if keptCount == 0 {
                try system.remove(file(of: segment))
                if isDurable { try system.synchronizeDirectory(path) }
            } else {
                try shared.format.upgrade()
                try system.replace(file(of: segment), isDurable: isDurable) { file throws(FileError) in
                    try rewriter.write(to: file)
                }
            }
        }
        return counts.removed
    }

    /// Runs a removal so that the count of events is right again even where it is broken off.
    ///
    /// Nil as the count stands for one that is not known; then everything is counted again.
    package func removing(_ count: Int?, _ index: IdentityIndex, _ removal: () throws -> Void) throws {
        var header = index.header
        header.state = .removing
        try index.write(header)
        do {
            try removal()
        } catch {
            try? recover(index)
            throw error
        }
        header.state = .clean
        if let count {
            header.eventCount -= min(header.eventCount, UInt64(count))
        } else {
            try indexBatches(in: index, &header)
        }
        try index.write(header)
    }
}
