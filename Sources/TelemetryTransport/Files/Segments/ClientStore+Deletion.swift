import TelemetryModels

extension ClientStore {
    /// Removes the events of a segment that match: the segment where nothing is left in it, otherwise their lines' content.
    ///
    /// The lines themselves stay, empty, so that every line keeps its number. Nil where the journal is busy.
    func delete(matching filter: TelemetryEventFilter, from segment: String, journal: JournalWriter) throws -> Int? {
        guard try journal.begin() != nil else { return nil }
        defer { journal.end() }
        let index = try currentIndex(journal: journal)
        guard let bytes = try system.contents(of: file(of: segment)) else { return 0 }
        let (kept, removedCount, keptCount) = Self.remaining(of: bytes, without: filter)
        if removedCount == 0, keptCount > 0 { return 0 }
        var header = index.header
        header.intent = .removal
        try index.write(header)
        if keptCount == 0 {
            try system.remove(file(of: segment))
        } else {
            let temporary = "\(path)/-\(EventIdentifier.randomPrefix())"
            defer { try? system.remove(temporary) }
            let file = try system.open(temporary, for: .create)
            try file.write(kept)
            if isDurable { try file.synchronize() }
            try system.rename(temporary, to: self.file(of: segment))
        }
        if isDurable { try system.synchronizeDirectory(path) }
        header.intent = .none
        header.eventCount -= min(header.eventCount, UInt64(removedCount))
        try index.write(header)
        return removedCount
    }

    private static func remaining(
        of bytes: [UInt8], without filter: TelemetryEventFilter
    ) -> (bytes: [UInt8], removed: Int, kept: Int) {
        var kept = EventLineEncoder.preamble(isRewritten: true)
        var counts = (removed: 0, kept: 0)
        var decoder = EventLineDecoder(context: nil)
        bytes.withUnsafeBufferPointer { bytes in
            var start = (bytes.firstIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
            while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = UnsafeBufferPointer(rebasing: bytes[start..<end])
                start = end + 1
                if case .event(let event) = decoder.decode(line) {
                    if filter.matches(event) {
                        counts.removed += 1
                    } else {
                        counts.kept += 1
                        kept += line
                    }
                } else {
                    kept += line
                }
                kept.append(UInt8(ascii: "\n"))
            }
        }
        return (kept, counts.removed, counts.kept)
    }
}
