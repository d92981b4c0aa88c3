import TelemetrySystem

extension ClientStore {
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
