import TelemetryModels

/// Appends to the journal together with any number of other processes.
///
/// A writer holds the shared lock of the newest file while it appends. The one who finds the file large enough takes the
/// exclusive lock, marks the file as ended by taking away the right to write to it, and makes the next. So does whoever finds
/// that it was cut, or may have been by a restart of the system: lines at its end would stand where readers have been already.
package final class JournalWriter {
    /// Whether this ended a file since it was last set to false.
    package var hasEndedFile = false
    private let layout: StoreLayout
    /// The store's identifier, for the first line of a file.
    package var storeID: String {
        didSet { if storeID != oldValue { (known, hasLookedUp) = (nil, false) } }
    }
    private let system: FileSystem
    private let fileBytes: UInt64
    private let isDurable: Bool
    private var file: OpenFile?
    package private(set) var number: UInt64 = 0
    private var size: UInt64 = 0
    /// The size from which on this writer keeps out of the file until nobody is in it and it can be ended.
    private var rollSize: UInt64
    /// How often it has kept out of it in a row.
    private var refusals = 0
    private static let maximumRefusals = 8
    /// How far the journal is known to have reached; nil before that was looked up, and where nothing is known.
    private var known: JournalEnd?
    private var hasLookedUp = false
    /// Whether the file is written to though it is shorter than is known, because it cannot be ended.
    private var isInCutFile = false
    private var mayEnterCutFile = false
    private let buffer = ByteBuffer()

    package init(
        layout: StoreLayout, system: FileSystem, configuration: StoreConfiguration, storeID: String
    ) {
        self.storeID = storeID
        self.layout = layout
        self.system = system
        self.fileBytes = UInt64(max(configuration.journalBytes, 1))
        rollSize = fileBytes
        self.isDurable = configuration.isDurable
    }

    /// Makes the first file where there is none.
    package func prepare() throws(FileError) {
        if try system.list(layout.journal).allSatisfy({ StoreLayout.journalNumber(of: $0) == nil }) { _ = try openNewest() }
    }

    /// Takes the shared lock of the newest file. Nil where somebody is about to end it; otherwise the position behind which
    /// the next line will stand. Every success must be followed by ``end()``.
    package func begin() throws(FileError) -> JournalPosition? {
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

    /// The end that is known, for whoever keeps it beside what the journal tells of. Only between ``begin()`` and ``end()``.
    package var currentEnd: JournalEnd { JournalEnd(file: number, offset: size, boot: system.boot) }

    /// Looks up, once, how far those who wrote before had come.
    private func lookUpEnd() throws(FileError) {
        if hasLookedUp { return }
        known = try JournalEnd.noted(in: layout, system)
        hasLookedUp = true
    }

    /// Whether the file is not the newest that there was, is shorter than it was, or was only written to before a restart.
    private var isCut: Bool {
        guard let known, number <= known.file else { return false }
        return number < known.file || size < known.offset || known.boot != system.boot
    }

    private func noteSize() {
        if !isInCutFile { known = currentEnd }
    }

    /// The number of the file after one: none that was used before, whatever became of that file.
    private func nextNumber(after number: UInt64) -> UInt64 { max(number, known?.file ?? 0) + 1 }

    /// Ends a file that is full. Writers that overlap would be in it at every moment: whoever finds it full does not go in, so
    /// that it empties. False where somebody is in it still; but not for ever, as it may be a process that was stopped.
    private func rollWhenEmpty(_ open: OpenFile) -> Bool {
        do { if try roll(open) { return true } } catch {
            // It can be written to all the same, or else the next call fails for the same reason.
            refusals = Self.maximumRefusals
        }
        refusals += 1
        guard refusals > Self.maximumRefusals else { return false }
        refusals = 0
        mayEnterCutFile = true
        if size >= rollSize { rollSize = size.addingClamped(max(fileBytes / 8, 1)) }
        return true
    }

    /// Appends lines with one call; without any, only ends what may be torn. Only between ``begin()`` and ``end()``.
    package func write(_ lines: [JournalLine]) throws(FileError) {
        guard let file else { return }
        buffer.truncate()
        for line in lines { line.append(to: buffer) }
        if lines.isEmpty { buffer.append(UInt8(ascii: "\n")) }
        try file.write(buffer.bytes)
        // Others may have written as well.
        size = max(size + UInt64(buffer.count), (try? file.status().size) ?? 0)
        noteSize()
        if isDurable { try file.synchronize() }
    }

    /// Gives the lock back, and ends the file where it is large enough; what fails there the next writer tries again.
    package func end() {
        guard let file else { return }
        file.unlock()
        if size >= fileBytes { _ = try? roll(file) }
    }

    /// Forgets the open file, for want of descriptors.
    package func close() { file = nil }

    /// False where somebody is in the file.
    private func roll(_ ended: OpenFile) throws(FileError) -> Bool {
        guard try ended.tryLock(.exclusive) else { return false }
        defer { ended.unlock() }
        let status = try ended.status()
        guard status.isLinked, status.isWritable else { return true }
        // Written before the mark: without room for the next file this one goes on, and what takes no room, deleting, can be done.
        let head = head(eventsBefore: try eventCount(through: number))
        let temporary = try system.writeTemporary(in: layout.journal, isDurable: isDurable) { file throws(FileError) in
            try file.write(head.bytes)
        }
        defer { try? system.remove(temporary) }
        // The mark before the name: a file whose successor exists is read to its end and never looked at again.
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
        return true
    }

    private func eventCount(through number: UInt64) throws(FileError) -> UInt64 {
        var reader = JournalReader(
            layout: layout, system: system, diagnostics: nil, position: JournalPosition(file: number, offset: 0, events: 0))
        while let (_, at) = try reader.next(), at.file == number {}
        return reader.position.events
    }

    /// Nil where somebody is about to make the next file.
    private func openNewest() throws(FileError) -> OpenFile? {
        let newest = try system.list(layout.journal).compactMap(StoreLayout.journalNumber).max()
        var wanted = newest ?? 1
        if let newest {
            if let status = try system.status(layout.journalFile(newest)), !status.isWritable {
                guard try completeRoll(of: newest) else { return nil }
                wanted = try system.list(layout.journal).compactMap(StoreLayout.journalNumber).max() ?? newest
            }
        } else {
            // A new store, or one whose journal was lost.
            let batches = try JournalRebuilder(layout: layout, system: system).batches()
            try lookUpEnd()
            wanted = nextNumber(after: 0)
            // What they told of is told anew.
            if wanted > 1 { try? JournalLedger(layout: layout, system: system, diagnostics: nil).noteReplacement(before: wanted) }
            try make(wanted, eventsBefore: 0, batches)
        }
        let opened = try system.open(layout.journalFile(wanted), for: .append)
        if number != wanted { (rollSize, refusals) = (fileBytes, 0) }
        number = wanted
        file = opened
        return opened
    }

    /// Makes the file after one that was marked as ended by a process that was killed before it could do that. Without room for
    /// it the mark is taken back, so that what takes no room can be done. False where somebody is in the file.
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
            // Made perhaps, and only its directory not synchronised.
            guard try system.status(layout.journalFile(next)) == nil else { throw error }
            do { try ended.setMode(0o600) } catch _ { throw error }
        }
        return true
    }

    /// Makes a journal file, complete with its first line, unless it is there already.
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
