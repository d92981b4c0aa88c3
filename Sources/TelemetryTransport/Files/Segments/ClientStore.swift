import TelemetryModels

/// One client's part of the store, as this transport writes to it: its lock, its index of identifiers, its segment.
///
/// Everything but ``tryLock()`` is done under the client's lock, which is never held across a suspension.
final class ClientStore {
    private struct Segment {
        let name: String
        let file: OpenFile
        var size: UInt64
        var lineCount: UInt64
        var context: EventContext?
        var header: (line: UInt64, offset: UInt64)
    }

    /// The name of the client's directory.
    let name: String
    let path: String
    let system: FileSystem
    private let layout: StoreLayout
    private let configuration: FileTelemetryTransport.Configuration
    private let reader: SegmentReader
    private var lock: OpenFile?
    private var index: IdentityIndex?
    private var segment: Segment?

    var isDurable: Bool { configuration.durability == .system }

    init(
        name: String, layout: StoreLayout, system: FileSystem, configuration: FileTelemetryTransport.Configuration,
        reader: SegmentReader
    ) {
        self.name = name
        self.path = layout.client(directory: name)
        self.system = system
        self.layout = layout
        self.configuration = configuration
        self.reader = reader
    }

    // MARK: Lock

    /// False where another process works on the client now. Every success must be followed by ``unlock()``.
    func tryLock() throws(FileError) -> Bool {
        for _ in 0..<8 {
            let file = if let lock { lock } else { try openLock() }
            guard try file.tryLock(.exclusive) else { return false }
            if (try? file.status().isLinked) == true { return true }
            // The directory was removed and perhaps made again: this lock locks nothing any more.
            file.unlock()
            lock = nil
            index = nil
        }
        return false
    }

    func unlock() { lock?.unlock() }

    private func openLock() throws(FileError) -> OpenFile {
        let opened: OpenFile
        do {
            opened = try system.open("\(path)/lock", for: .update)
        } catch  where error.isNotFound {
            try system.makeDirectory(path)
            if isDurable { try system.synchronizeDirectory(layout.events) }
            opened = try system.open("\(path)/lock", for: .update)
        }
        lock = opened
        return opened
    }

    // MARK: Index

    /// The client's index as it is now, after what a writer who died left undone was done or undone.
    func currentIndex(journal: JournalWriter) throws -> IdentityIndex {
        let index: IdentityIndex
        if let known = self.index, try known.file.status().isLinked {
            index = known
            do { try index.refresh() } catch is IdentityIndex.Corrupt { return try rebuildIndex() }
        } else {
            let file = try system.open("\(path)/identity", for: .update)
            do { index = try IdentityIndex(file: file) } catch is IdentityIndex.Corrupt { return try rebuildIndex() }
            self.index = index
        }
        if index.header.intent != .none { try recover(index, journal: journal) }
        return index
    }

    /// Makes an index of what the segments hold.
    func rebuildIndex() throws -> IdentityIndex {
        var generator = SystemRandomNumberGenerator()
        var header = IdentityHeader(secret: (generator.next(), generator.next()))
        let temporary = "\(path)/-identity"
        try system.remove(temporary)
        let rebuilt = try IdentityIndex(new: system.open(temporary, for: .create), header: header)
        for segment in try segmentNames() {
            header.nextSegment = max(header.nextSegment, Self.number(of: segment) + 1)
            try forEachEvent(of: segment) { event in
                if try rebuilt.stage(event.eventId) { header.eventCount += 1 }
            }
            try rebuilt.commit(into: &header)
            try rebuilt.write(header)
        }
        if isDurable { try rebuilt.file.synchronize() }
        try system.rename(temporary, to: "\(path)/identity")
        index = rebuilt
        return rebuilt
    }

    private func recover(_ index: IdentityIndex, journal: JournalWriter) throws {
        var header = index.header
        switch header.intent {
        case .none: return
        case .append(let segment, let offset, let journalFile, let journalOffset):
            // A line that lacks only its end would come true later; ended now, it is true or torn for good.
            try journal.write([UInt8(ascii: "\n")])
            var lines = JournalReader(
                layout: layout, system: system, diagnostics: nil,
                position: JournalPosition(file: journalFile, offset: journalOffset, events: 0))
            var told: EventBatch?
            while told == nil, let (line, _) = try lines.next() {
                if case .batch(let batch) = line, batch.client == name, batch.segment == segment, batch.offset == offset {
                    told = batch
                }
            }
            if let told {
                header.eventCount += told.eventCount
                _ = try reader.read(told) { event in
                    _ = try index.stage(event.eventId)
                    return true
                }
                try index.commit(into: &header)
            } else {
                try cut(segment, to: offset)
            }
        case .removal:
            header.eventCount = 0
            for segment in try segmentNames() {
                try forEachEvent(of: segment) { _ in header.eventCount += 1 }
            }
        }
        header.intent = .none
        try index.write(header)
    }

    private func cut(_ segment: String, to size: UInt64) throws(FileError) {
        do {
            let file = try system.open(file(of: segment), for: .write)
            if try file.status().size > size { try file.truncate(to: size) }
        } catch  where error.isNotFound {}
    }

    // MARK: Append

    /// Stores the events that are new. Returns false, having stored nothing, where the journal is busy.
    func append(_ events: ArraySlice<TelemetryEvent>, journal: JournalWriter) throws -> Bool {
        guard let tail = try journal.begin() else { return false }
        defer { journal.end() }
        let index = try currentIndex(journal: journal)
        var new: [TelemetryEvent] = []
        new.reserveCapacity(events.count)
        for event in events where try index.stage(event.eventId) { new.append(event) }
        if new.isEmpty {
            index.discard()
            return true
        }
        var header = index.header
        var segment = try usableSegment(header: &header)
        self.segment = nil
        var encoder = EventLineEncoder(context: segment.context)
        for event in new where !encoder.append(event) {
            throw TelemetryTransportError.invalidArgument("The event \"\(event.eventId)\" has a date that cannot be stored.")
        }
        header.intent = .append(
            segment: segment.name, offset: segment.size, journalFile: tail.file, journalOffset: tail.offset)
        try index.write(header)
        do {
            try segment.file.write(encoder.bytes, at: segment.size)
            if isDurable { try segment.file.synchronize() }
            var batch = EventBatch(
                client: name, segment: segment.name, headerOffset: segment.header.offset, headerLine: segment.header.line,
                offset: segment.size, line: segment.lineCount, byteCount: UInt64(encoder.bytes.count),
                lineCount: UInt64(encoder.lineCount), eventCount: UInt64(new.count))
            if encoder.beginsWithHeader {
                (batch.headerOffset, batch.headerLine) = (batch.offset, batch.line)
            }
            var line: [UInt8] = []
            JournalLine.batch(batch).append(to: &line)
            try journal.write(line)
            header.eventCount += UInt64(new.count)
            try index.commit(into: &header)
            header.intent = .none
            try index.write(header)
        } catch {
            // Done or undone now if that is possible, otherwise by whoever comes next.
            try? index.refresh()
            try? recover(index, journal: journal)
            throw error
        }
        if let last = encoder.header {
            segment.header = (segment.lineCount + UInt64(last.line), segment.size + UInt64(last.offset))
        }
        segment.context = encoder.context
        segment.size += UInt64(encoder.bytes.count)
        segment.lineCount += UInt64(encoder.lineCount)
        self.segment = segment
        return true
    }

    /// This transport's segment, or a new one where there is none, it is large enough, or somebody changed it.
    private func usableSegment(header: inout IdentityHeader) throws(FileError) -> Segment {
        if let segment, segment.size < UInt64(max(configuration.segmentBytes, 1)) {
            let status = try segment.file.status()
            if status.isLinked, status.size == segment.size { return segment }
        }
        let name = "\(header.nextSegment)-\(EventIdentifier.randomPrefix().prefix(8))"
        header.nextSegment += 1
        let file = try system.open(file(of: name), for: .create)
        let preamble = EventLineEncoder.preamble(isRewritten: false)
        try file.write(preamble, at: 0)
        if isDurable { try system.synchronizeDirectory(path) }
        return Segment(name: name, file: file, size: UInt64(preamble.count), lineCount: 1, context: nil, header: (0, 0))
    }

    // MARK: Segments

    func file(of segment: String) -> String { "\(path)/\(segment).jsonl" }

    /// The client's segments, oldest first.
    func segmentNames() throws(FileError) -> [String] {
        try system.list(path).compactMap { $0.hasSuffix(".jsonl") && !$0.hasPrefix("-") ? String($0.dropLast(6)) : nil }
            .sorted { (Self.number(of: $0), $0) < (Self.number(of: $1), $1) }
    }

    static func number(of segment: String) -> UInt64 { UInt64(segment.prefix { $0 != "-" }) ?? 0 }

    func forEachEvent(of segment: String, _ body: (TelemetryEvent) throws -> Void) throws {
        guard let bytes = try system.contents(of: file(of: segment)) else { return }
        var decoder = EventLineDecoder(context: nil)
        try bytes.withUnsafeBufferPointer { bytes in
            for line in bytes.split(separator: UInt8(ascii: "\n")) {
                if case .event(let event) = decoder.decode(UnsafeBufferPointer(rebasing: line)) { try body(event) }
            }
        }
    }
}
