import TelemetryModels
import TelemetrySystem

extension ClientStore {
    /// Deletes the selected events of a segment: removes the segment if nothing else is in it, otherwise empties their lines.
    ///
    /// The empty lines stay, so that every line of a batch keeps its number. Returns nil if the journal is busy.
    func deleteEvents(
        matching filter: TelemetryEventFilter, from segment: String, batches: inout SegmentBatches
    ) throws -> Int? {
        guard try shared.journal.begin() != nil else { return nil }
        defer { shared.journal.end() }
        try batches.update()
        let segmentBatches = batches.batches(of: segment, client: name)
        return try withIndex { try delete(filter, from: segment, segmentBatches, $0) }
    }

    private func delete(
        _ filter: TelemetryEventFilter, from segment: String, _ batches: [JournalBatch], _ index: IdentityIndex
    ) throws -> Int {
        let old: OpenFile
        do { old = try system.open(file(of: segment), for: .read) } catch {
            guard error.isNotFound else { throw error }
            return 0
        }
        let form = SegmentForm(ofSegment: try old.read(at: 0, count: SegmentForm.maximumBytes))
        var rewriter = try SegmentRewriter(
            client: name, file: old, map: SegmentMap(form: form, file: old), batches: batches, without: filter)
        let counts = rewriter.counts
        // Unreadable lines are deleted only with the whole client: other filters may not match them.
        let isWhole = filter.selectsWholeClients
        let keptCount = counts.kept + (isWhole ? 0 : counts.unreadable)
        if counts.removed == 0, !rewriter.hasRemovedUnjournaled, keptCount > 0 { return 0 }
        // Unreadable lines, and lines without a journal entry, may not have been counted.
        try removing(counts.unreadable == 0 && !rewriter.hasRemovedUnjournaled ? counts.removed : nil, index) {
            if keptCount == 0 {
                try system.remove(file(of: segment))
                if isDurable { try system.synchronizeDirectory(path) }
            } else {
                try system.replace(file(of: segment), isDurable: isDurable) { file throws(FileError) in
                    try rewriter.write(to: file)
                }
            }
        }
        return counts.removed
    }

    /// Runs a removal and updates the count of events. After an interruption, the next operation restores the count.
    ///
    /// - Parameter count: The number of events that are removed; nil if unknown, then all events are counted again.
    func removing(_ count: Int?, _ index: IdentityIndex, _ removal: () throws -> Void) throws {
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

    // MARK: Retention

    /// A segment with the values that retention uses.
    struct Holding {
        let client: String
        let segment: String
        let size: UInt64
        /// Seconds since 1970 at the last append or removal.
        let modified: Int64
    }

    /// The client's segments, oldest first.
    func holdings() throws(FileError) -> [Holding] {
        var holdings: [Holding] = []
        for segment in try segmentNames() {
            guard let status = try system.status(file(of: segment)) else { continue }
            holdings.append(Holding(client: name, segment: segment, size: status.size, modified: status.modified))
        }
        return holdings
    }

    /// Removes a segment for retention and records that for readers. Returns nil if the journal is busy.
    func retire(_ segment: String) throws -> Void? {
        guard try shared.journal.begin() != nil else { return nil }
        defer { shared.journal.end() }
        try withIndex { index in
            guard try system.status(file(of: segment)) != nil else { return }
            var count = 0
            let isReadable = try forEachEvent(of: segment) { _ in count += 1 }
            var retired = try RetiredSegments(
                client: name, layout: shared.layout, system: system, diagnostics: shared.configuration.diagnostics)
            try retired.add(segment, isDurable: isDurable)
            try removing(isReadable ? count : nil, index) { try system.remove(file(of: segment)) }
        }
        return ()
    }
}
