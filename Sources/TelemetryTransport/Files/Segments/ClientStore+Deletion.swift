import TelemetryModels

extension ClientStore {
    /// Removes the events of a segment that match: the segment where nothing is left in it, otherwise their lines' content.
    ///
    /// The lines themselves stay, empty, so that every line keeps its number. Nil where the journal is busy.
    func delete(matching filter: TelemetryEventFilter, from segment: String) throws -> Int? {
        guard try shared.journal.begin() != nil else { return nil }
        defer { shared.journal.end() }
        return try withIndex { try delete(matching: filter, from: segment, $0) }
    }

    private func delete(
        matching filter: TelemetryEventFilter, from segment: String, _ index: IdentityIndex
    ) throws -> Int {
        guard let bytes = try system.contents(of: file(of: segment)) else { return 0 }
        let (kept, removedCount, readableCount, unreadableCount) = Self.remaining(of: bytes, in: name, without: filter)
        // What cannot be read goes with its client only: it may be what the filter does not match.
        let isWhole = filter == .all || filter == TelemetryEventFilter(clientId: filter.clientId)
        let keptCount = readableCount + (isWhole ? 0 : unreadableCount)
        if removedCount == 0, keptCount > 0 { return 0 }
        try removing(removedCount, index) {
            if keptCount == 0 {
                try system.remove(file(of: segment))
            } else {
                let temporary = "\(path)/-\(EventIdentifier.randomPrefix())"
                defer { try? system.remove(temporary) }
                let file = try system.open(temporary, for: .create)
                try file.write(kept.bytes)
                if isDurable { try file.synchronize() }
                try system.rename(temporary, to: self.file(of: segment))
            }
            if isDurable { try system.synchronizeDirectory(path) }
        }
        return removedCount
    }

    /// Runs a removal so that the count of events is right again even where it is broken off.
    func removing(_ count: Int, _ index: IdentityIndex, _ removal: () throws -> Void) throws {
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
        header.eventCount -= min(header.eventCount, UInt64(count))
        try index.write(header)
    }

    private static func remaining(
        of bytes: [UInt8], in client: String, without filter: TelemetryEventFilter
    ) -> (bytes: ByteBuffer, removed: Int, kept: Int, unreadable: Int) {
        let kept = ByteBuffer(capacity: bytes.count + 64)
        EventLineEncoder.preamble(isRewritten: true).withUnsafeBytes { kept.append($0) }
        var counts = (removed: 0, kept: 0, unreadable: 0)
        var decoder = EventLineDecoder(directory: client)
        bytes.withUnsafeBufferPointer { bytes in
            var start = (bytes.lineFeed(from: 0) ?? -1) + 1
            while let end = bytes.lineFeed(from: start) {
                let line = UnsafeBufferPointer(rebasing: bytes[start..<end])
                start = end + 1
                switch decoder.decode(line) {
                case .event(let event) where filter.matches(event): counts.removed += 1
                case .event:
                    counts.kept += 1
                    kept.append(line)
                case .corrupt:
                    counts.unreadable += 1
                    kept.append(line)
                case .header, .nothing: kept.append(line)
                }
                kept.append(UInt8(ascii: "\n"))
            }
        }
        return (kept, counts.removed, counts.kept, counts.unreadable)
    }
}
