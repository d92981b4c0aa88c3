import TelemetryModels
import TelemetrySystem

/// Appends to the journal together with any number of other processes.
///
/// A writer holds the shared lock of the newest file while it appends. A writer that finds the file large enough takes the
/// exclusive lock, marks the file as ended by removing its write permission, and creates the next one. A file that was
/// truncated, or may have been by a system restart, is ended too: readers would not see lines written before their position.
final class JournalWriter {
    /// Whether this writer ended a file since this was last set to false.
    var hasEndedFile = false
    /// The numbers of those files.
    private var endedFiles: [UInt64] = []
    private let layout: StoreLayout
    /// The store's identifier, for the first line of a file.
    var storeID: String {
        didSet { if storeID != oldValue { (known, hasLookedUp) = (nil, false) } }
    }
    private let system: FileSystem
    private let fileBytes: UInt64
    private let isDurable: Bool
    private var file: OpenFile?
    private(set) var number: UInt64 = 0
    private var size: UInt64 = 0
    /// The size from which this writer stays out of the file until no other writer uses it and it can be ended.
    private var rollSize: UInt64
    /// How often in a row it stayed out of the file.
    private var refusals = 0
    private static let maximumRefusals = 8
    /// The known end of the journal; nil before it was looked up, and if it is unknown.
    private var known: JournalEnd?
    private var hasLookedUp = false
    /// Whether the file is used although it is shorter than known, because it cannot be ended.
    private var isInCutFile = false
    private var mayEnterCutFile = false
    private let buffer = ByteBuffer()

    init(
        layout: StoreLayout, system: FileSystem, configuration: FileTelemetryTransport.Configuration, storeID: String
    ) {
        self.storeID = storeID
        self.layout = layout
        self.system = system
        self.fileBytes = UInt64(max(configuration.journalBytes, 1))
        rollSize = fileBytes
        self.isDurable = configuration.isDurable
    }

    /// Creates the first file if there is none.
    func prepare() throws(FileError) {
        if try system.list(layout.journal).allSatisfy({ StoreLayout.journalNumber(of: $0) == nil }) { _ = try openNewest() }
    }

    /// Takes the shared lock of the newest file. Nil if another writer is about to end the file; otherwise the position after
    /// which the next line is written. Every success must be followed by ``end()``.
    func begin() throws(FileError) -> JournalPosition? {
        try lookUpEnd()
        for _ in 0..<8 {
            guard let open = if let file { file } else { try openNewest() } else { return nil }
            guard try open.tryLock(.shared) else { return nil }
            do {
                let status = try open.status()
                if status.isLinked, status.isWritable {
                    size = status.size
                    if size < rollSize, !isCut || mayEnterCutFile {
                        isInCutFile = isCut
                        mayEnterCutFile = false
                        noteSize()
                        return JournalPosition(file: number, offset: size, events: 0)
                    }
                    open.unlock()
                    if !rollWhenEmpty(open) { return nil }
                    continue
                }
            } catch {
                open.unlock()
                throw error
            }
            open.unlock()
            file = nil
        }
        return nil
    }

    /// The known end, to be stored with the data that the journal refers to. Only between ``begin()`` and ``end()``.
    var currentEnd: JournalEnd { JournalEnd(file: number, offset: size, boot: system.boot) }

    /// Looks up, once, the end recorded by earlier writers.
    private func lookUpEnd() throws(FileError) {
        if hasLookedUp { return }
        known = try JournalEnd.recorded(in: layout, system)
        hasLookedUp = true
    }

    /// Whether the file is not the newest one, is shorter than recorded, or was last written before a restart.
    private var isCut: Bool {
        guard let known, number <= known.file else { return false }
        return number < known.file || size < known.offset || known.boot != system.boot
    }

    private func noteSize() {
        if !isInCutFile { known = currentEnd }
    }

    /// The number of the file after one; never a number that was used before.
    private func nextNumber(after number: UInt64) -> UInt64 { max(number, known?.file ?? 0) + 1 }

    /// Ends a full file. Writers that find it full stay out, since overlapping writers could keep it in use indefinitely. Returns
    /// false while another writer uses it, but only a limited number of times, since that process may be suspended.
    private func rollWhenEmpty(_ open: OpenFile) -> Bool {
        do { if try roll(open) { return true } } catch {
            // If it cannot be written to, the next call fails for the same reason.
            refusals = Self.maximumRefusals
        }
        refusals += 1
        guard refusals > Self.maximumRefusals else { return false }
        refusals = 0
        mayEnterCutFile = true
        if size >= rollSize { rollSize = size.addingClamped(max(fileBytes / 8, 1)) }
        return true
    }

    /// Appends lines with one call; without lines, only ends a truncated line. Only between ``begin()`` and ``end()``.
    func write(_ lines: [JournalLine]) throws(FileError) {
        guard let file else { return }
        buffer.truncate()
        for line in lines { line.append(to: buffer) }
        if lines.isEmpty { buffer.append(UInt8(ascii: "\n")) }
        try file.write(buffer.bytes)
        // Other writers may have appended too.
        size = max(size + UInt64(buffer.count), (try? file.status().size) ?? 0)
        noteSize()
        if isDurable { try file.synchronize() }
    }

    /// Releases the lock, and ends the file if it is large enough; if that fails, the next writer tries again.
    func end() {
        guard let file else { return }
        file.unlock()
        if size >= fileBytes { _ = try? roll(file) }
    }

    /// Closes the file, to free a descriptor.
    func close() { file = nil }

    /// Returns false while another writer uses the file.
    private func roll(_ ended: OpenFile) throws(FileError) -> Bool {
        guard try ended.tryLock(.exclusive) else { return false }
        defer { ended.unlock() }
        let status = try ended.status()
        guard status.isLinked, status.isWritable else { return true }
        // Written before the mark: without space for the next file this one stays in use, and deleting still works.
        let head = head(eventsBefore: try eventCount(through: number))
        let temporary = try system.writeTemporary(in: layout.journal, isDurable: isDurable) { file throws(FileError) in
            try file.write(head.bytes)
        }
        defer { try? system.remove(temporary) }
        // Marked before the next file is published: readers that reach the end of a file with a successor never return to it.
        try ended.setMode(0o400)
        do {
            if isDurable { try ended.synchronize() }
            let next = layout.journalFile(nextNumber(after: number))
            try system.publish(temporary, as: next, isDurable: isDurable)
        } catch {
            try? ended.setMode(0o600)
            throw error
        }
        file = nil
        hasEndedFile = true
        endedFiles.append(number)
        return true
    }

    /// The numbers of the files that this writer ended since the last call.
    func takeEndedFiles() -> [UInt64] {
        defer { endedFiles = [] }
        return endedFiles
    }

    private func eventCount(through number: UInt64) throws(FileError) -> UInt64 {
        var reader = JournalReader(
            layout: layout, system: system, diagnostics: nil, position: JournalPosition(file: number, offset: 0, events: 0))
        while let (_, at) = try reader.next(), at.file == number {}
        return reader.position.events
    }

    /// Nil if another writer is about to create the next file.
    private func openNewest() throws(FileError) -> OpenFile? {
        let newest = try system.list(layout.journal).compactMap(StoreLayout.journalNumber).max()
        var wanted = newest ?? 1
        if let newest {
            if let status = try system.status(layout.journalFile(newest)), !status.isWritable {
                guard try completeRoll(of: newest) else { return nil }
                wanted = try system.list(layout.journal).compactMap(StoreLayout.journalNumber).max() ?? newest
            }
        } else {
            // A new store, or one that lost its journal.
            let batches = try JournalRebuilder(layout: layout, system: system).batches()
            try lookUpEnd()
            wanted = nextNumber(after: 0)
            // The rebuilt entries replace those of the lost files.
            if wanted > 1 {
                let ledger = JournalLedger(layout: layout, system: system, isDurable: isDurable, diagnostics: nil)
                try? ledger.noteReplacement(before: wanted)
            }
            try make(wanted, eventsBefore: 0, batches)
        }
        let opened = try system.open(layout.journalFile(wanted), for: .append)
        if number != wanted { (rollSize, refusals) = (fileBytes, 0) }
        number = wanted
        file = opened
        return opened
    }

    /// Creates the file after one whose writer was killed between marking it as ended and creating the next. Without space the
    /// mark is removed, so that deleting still works. False while another writer uses the file.
    private func completeRoll(of number: UInt64) throws(FileError) -> Bool {
        let ended: OpenFile
        do { ended = try system.open(layout.journalFile(number), for: .read) } catch  where error.isNotFound { return false }
        guard try ended.tryLock(.exclusive) else { return false }
        defer { ended.unlock() }
        let status = try ended.status()
        let next = nextNumber(after: number)
        guard status.isLinked, !status.isWritable, try system.status(layout.journalFile(next)) == nil else { return true }
        do {
            try make(next, eventsBefore: eventCount(through: number))
        } catch {
            // It may exist already, and only synchronizing its directory failed.
            guard try system.status(layout.journalFile(next)) == nil else { throw error }
            do { try ended.setMode(0o600) } catch _ { throw error }
        }
        return true
    }

    /// Creates a journal file, including its first line, unless it exists.
    private func make(_ number: UInt64, eventsBefore: UInt64, _ batches: [JournalBatch] = []) throws(FileError) {
        let head = head(eventsBefore: eventsBefore, batches)
        try system.make(layout.journalFile(number), isDurable: isDurable) { file throws(FileError) in try file.write(head.bytes) }
    }

    /// The beginning of a journal file.
    private func head(eventsBefore: UInt64, _ batches: [JournalBatch] = []) -> ByteBuffer {
        let head = ByteBuffer()
        JournalLine.head(storeID: storeID, eventsBefore: eventsBefore).append(to: head)
        for batch in batches { JournalLine.batch(batch).append(to: head) }
        return head
    }
}
