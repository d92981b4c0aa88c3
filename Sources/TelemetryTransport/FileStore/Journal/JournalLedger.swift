import TelemetryModels
import TelemetrySystem

/// The list of removed journal files, `journal/removed`: one line each, oldest first.
struct JournalLedger {
    private static let maximumLines = 4_096

    struct LedgerLine: Equatable {
        /// The journal file's number.
        var file: UInt64
        /// The number of events in this file and all earlier ones.
        var events: UInt64
        /// How many of those were removed by retention.
        var retired: UInt64
    }

    let layout: StoreLayout
    let system: FileSystem
    /// Whether the list is on the disk before a journal file is removed.
    let isDurable: Bool
    let diagnostics: TelemetryDiagnosticsHandler?
    private var path: String { "\(layout.journal)/removed" }

    func lines() throws(FileError) -> [LedgerLine] {
        let quarantine = Quarantine(layout: layout, system: system, diagnostics: diagnostics)
        guard let bytes = try quarantine.content(of: path, limit: FileLimits.list) else { return [] }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let numbers = line.split(separator: UInt8(ascii: " ")).compactMap { UInt64(String(decoding: $0, as: UTF8.self)) }
            return numbers.count == 3 ? LedgerLine(file: numbers[0], events: numbers[1], retired: numbers[2]) : nil
        }
    }

    /// The events of missing files, from a position in the first of them to the next existing file.
    struct Missing {
        /// The number of events removed by retention, or of all events if a file was lost.
        var events: UInt64
        /// Whether one of the files was not removed by the store.
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

    /// How many events retention removed between a position in a removed file and the oldest existing file.
    private func retired(
        since position: JournalPosition, oldest: JournalPosition, _ passed: UInt64, _ lines: [LedgerLine]
    ) -> UInt64 {
        guard let last = lines.last(where: { $0.file < oldest.file }) else { return passed }
        let before = lines.last { $0.file < position.file }?.retired ?? 0
        return min(passed, last.retired - min(last.retired, before))
    }

    /// Removes journal files without an entry for an existing segment, except for the last two, which readers may not have read
    /// yet.
    ///
    /// - Parameter remaining: For each remaining file, one of its existing segments, which the next call checks first.
    func collect(_ remaining: inout [UInt64: String]) throws(FileError) {
        let lock = try system.open("\(layout.journal)/-lock", for: .update)
        guard try lock.tryLock(.exclusive) else { return }
        defer { lock.unlock() }
        let files = try system.list(layout.journal).compactMap(StoreLayout.journalNumber).sorted()
        remaining = remaining.filter { files.contains($0.key) }
        for file in files.dropLast(2) {
            if let known = remaining[file], try system.status(known) != nil { continue }
            remaining[file] = nil
            switch try remains(of: file) {
            case .segment(let path): remaining[file] = path
            case .nothing(let events, let retired):
                let lines = try Self.adding(LedgerLine(file: file, events: events, retired: retired), to: lines())
                try write(lines.suffix(Self.maximumLines))
                try system.remove(layout.journalFile(file))
                try? system.remove(layout.journalIndex(file))
            }
        }
    }

    /// Adds lines for missing files before a rebuilt one, so that they do not count as lost: it contains their entries.
    func noteReplacement(before number: UInt64) throws(FileError) {
        var lines = try lines()
        let known = Set(lines.map(\.file))
        for file in (number - min(number, UInt64(Self.maximumLines)))..<number where file > 0 && !known.contains(file) {
            lines = Self.adding(LedgerLine(file: file, events: 0, retired: 0), to: lines)
        }
        try write(lines.suffix(Self.maximumLines))
    }

    /// Inserts a line whose `retired` counts only its own file, and updates the sums of the later lines. Replaces the line of a
    /// file that was listed but not removed.
    private static func adding(_ line: LedgerLine, to lines: [LedgerLine]) -> [LedgerLine] {
        var before: UInt64 = 0
        var own = lines.map { line in
            defer { before = line.retired }
            return LedgerLine(file: line.file, events: line.events, retired: line.retired - min(line.retired, before))
        }
        own.removeAll { $0.file == line.file }
        own.insert(line, at: own.firstIndex { $0.file > line.file } ?? own.count)
        var sum: UInt64 = 0
        return own.map { line in
            sum = sum.addingClamped(line.retired)
            return LedgerLine(file: line.file, events: line.events, retired: sum)
        }
    }

    private enum Remains {
        /// The file has an entry for this existing segment.
        case segment(path: String)
        /// No segment is left: the number of events up to the end of the file, and of its own events that retention removed.
        case nothing(events: UInt64, retired: UInt64)
    }

    private func remains(of file: UInt64) throws(FileError) -> Remains {
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
                if try system.status(path) != nil { return .segment(path: path) }
                let retired = try RetiredSegments(
                    client: batch.client, layout: layout, system: system, diagnostics: diagnostics)
                gone[path] = retired.contains(batch.segment)
            }
            if gone[path] == true { retired = retired.addingClamped(batch.eventCount) }
        }
        return .nothing(events: events, retired: retired)
    }

    private func write(_ lines: ArraySlice<LedgerLine>) throws(FileError) {
        let buffer = ByteBuffer()
        for line in lines {
            buffer.append("\(line.file) \(line.events) \(line.retired)\n")
        }
        try system.replace(path, isDurable: isDurable) { file throws(FileError) in try file.write(buffer.bytes) }
    }
}
