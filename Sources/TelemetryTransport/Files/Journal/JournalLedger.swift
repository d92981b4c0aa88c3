/// What is known of journal files that are gone: `journal/removed`, a line for each, the oldest first.
struct JournalLedger {
    private static let maximumLines = 4_096

    struct Line: Equatable {
        /// The journal file's number.
        var file: UInt64
        /// How many events it and all before it told of.
        var events: UInt64
        /// How many of those were let go of to keep within bounds.
        var retired: UInt64
    }

    let layout: StoreLayout
    let system: FileSystem
    private var path: String { "\(layout.journal)/removed" }

    init(layout: StoreLayout, system: FileSystem) {
        self.layout = layout
        self.system = system
    }

    func lines() throws(FileError) -> [Line] {
        guard let bytes = try system.contents(of: path) else { return [] }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let numbers = line.split(separator: UInt8(ascii: " ")).compactMap { UInt64(String(decoding: $0, as: UTF8.self)) }
            return numbers.count == 3 ? Line(file: numbers[0], events: numbers[1], retired: numbers[2]) : nil
        }
    }

    /// What files that are gone told of, from a position in the first of them up to the next file there is.
    struct Missing {
        /// How many events nobody deleted: those that were let go of, or all where a file was lost.
        var events: UInt64
        /// Whether one of the files was not removed by the store itself.
        var isLost: Bool
    }

    func missing(since position: JournalPosition, until next: JournalPosition) throws(FileError) -> Missing {
        let passed = next.events - min(next.events, position.events)
        guard position.file < next.file else { return Missing(events: passed, isLost: false) }
        let lines = try lines()
        let first = lines.count < Self.maximumLines ? position.file : max(position.file, lines.first?.file ?? 0)
        let known = Set(lines.lazy.map(\.file).filter { (first..<max(first, next.file)).contains($0) })
        if UInt64(known.count) < next.file - min(first, next.file) { return Missing(events: passed, isLost: true) }
        return Missing(events: retired(since: position, oldest: next, passed, lines), isLost: false)
    }

    /// How many events were let go of between a position in a file that is gone and the oldest file that is not.
    private func retired(
        since position: JournalPosition, oldest: JournalPosition, _ passed: UInt64, _ lines: [Line]
    ) -> UInt64 {
        guard let last = lines.last(where: { $0.file < oldest.file }) else { return passed }
        let before = lines.last { $0.file < position.file }?.retired ?? 0
        return min(passed, last.retired - min(last.retired, before))
    }

    /// Removes the oldest files of the journal while nothing is left of what they tell of, but never the newest.
    func collect() throws(FileError) {
        let lock = try system.open("\(layout.journal)/-lock", for: .update)
        guard try lock.tryLock(.exclusive) else { return }
        defer { lock.unlock() }
        var files = try system.list(layout.journal).compactMap(StoreLayout.journalNumber).sorted()[...]
        var known = try lines()
        while files.count > 1, let oldest = files.popFirst() {
            guard let (events, retired) = try remains(of: oldest) else { return }
            known.append(Line(file: oldest, events: events, retired: (known.last?.retired ?? 0).addingClamped(retired)))
            try write(known.suffix(Self.maximumLines))
            try system.remove(layout.journalFile(oldest))
        }
    }

    /// The events told of by the end of a file, and how many of the file's own were let go of; nil where some are left.
    private func remains(of file: UInt64) throws(FileError) -> (events: UInt64, retired: UInt64)? {
        var reader = JournalReader(
            layout: layout, system: system, diagnostics: nil, position: JournalPosition(file: file, offset: 0, events: 0))
        var events: UInt64 = 0
        var retired: UInt64 = 0
        var gone: [String: Bool] = [:]
        while let (line, at) = try reader.next(), at.file == file {
            events = reader.position.events
            guard case .batch(let batch) = line else { continue }
            let path = "\(layout.client(directory: batch.client))/\(batch.segment).jsonl"
            if gone[path] == nil {
                if try system.status(path) != nil { return nil }
                gone[path] = try RetiredSegments(client: batch.client, layout: layout, system: system).contains(batch.segment)
            }
            if gone[path] == true { retired = retired.addingClamped(batch.eventCount) }
        }
        return (events, retired)
    }

    private func write(_ lines: ArraySlice<Line>) throws(FileError) {
        let buffer = ByteBuffer()
        for line in lines {
            buffer.append("\(line.file) \(line.events) \(line.retired)\n")
        }
        let temporary = "\(layout.journal)/-\(temporaryName())"
        let file = try system.open(temporary, for: .create)
        try file.write(buffer.bytes)
        try system.rename(temporary, to: path)
    }
}
