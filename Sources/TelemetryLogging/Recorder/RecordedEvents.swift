/// Events of a ring, copied from its memory or its file, which may be damaged.
struct RecordedEvents: Sendable {
    let bytes: [UInt8]
    /// In the order in which they were recorded.
    let entries: [RingEntry]

    enum Reading {
        case events(RecordedEvents, RingHeader.Content)
        /// The file has no header yet.
        case empty
        case corrupt
    }

    /// Reads a ring's file.
    static func read(_ file: [UInt8]) -> Reading {
        file.withByteView { view in
            switch RingHeader.read(view) {
            case .empty: .empty
            case .corrupt: .corrupt
            case .content(let header):
                .events(RecordedEvents(bytes: file, entries: entries(in: view, first: header.first, key: header.key)), header)
            }
        }
    }

    /// The whole entries of a ring, oldest first.
    ///
    /// The file does not state where entries begin: each is found by its checksum, so that a damaged one does not hide the others.
    /// The key keeps a text within a damaged entry from being taken for an entry.
    static func entries(in bytes: ByteView, first: UInt64, key: UInt64) -> [RingEntry] {
        var entries: [RingEntry] = []
        var offset = RingHeader.bytes
        while offset < bytes.count {
            if let entry = RingEntry(at: offset, in: bytes, first: first, key: key) {
                entries.append(entry)
                offset += RingEntry.stride(ofLength: entry.content.upperBound - offset)
            } else {
                offset += RingEntry.alignment
            }
        }
        return entries.sorted { $0.number < $1.number }
    }

    /// Which events are read: those that were logged between two times, in seconds since 2001.
    struct Window: Sendable {
        let oldest: Double
        /// Later than now, because the clock may have been set back. Limited, so that no event is kept for longer than allowed.
        let newest: Double
        /// In seconds.
        let maximumAge: Double

        /// - Parameter end: Ages count back from then, if it is earlier than now.
        init(until now: Double, maximumAge: Double, lookback: Double? = nil, endedAt end: Double? = nil) {
            self.maximumAge = maximumAge
            oldest = min(now, end ?? now) - min(lookback ?? maximumAge, maximumAge)
            newest = now + maximumAge
        }

        func contains(_ entry: RingEntry) -> Bool { entry.seconds >= oldest && entry.seconds <= newest }
    }

    /// The events that were not dumped and are not too old.
    func remaining(in window: Window) -> RecordedEvents {
        RecordedEvents(bytes: bytes, entries: entries.filter { !$0.isDumped && window.contains($0) })
    }

    /// The entries of several rings by time, each event once. Events of one ring stay in its order.
    static func merged(_ sources: [RecordedEvents]) -> [(source: Int, entry: RingEntry)] {
        var all: [(time: Double, source: Int, entry: RingEntry)] = []
        var known: Set<UInt64> = []
        for (index, source) in sources.enumerated() {
            var latest = -Double.infinity
            for entry in source.entries where known.insert(entry.identity).inserted {
                latest = max(latest, entry.seconds)
                all.append((latest, index, entry))
            }
        }
        return all.sorted { ($0.time, $0.source, $0.entry.number) < ($1.time, $1.source, $1.entry.number) }
            .map { ($0.source, $0.entry) }
    }
}
