import TelemetryModels
import TelemetrySystem

/// A store that this process has open: what the parts of a transport share, and how their calls wait for locks and recover from
/// errors of the system.
///
/// Not `Sendable`: it belongs, as the parts do, to one transport, in whose isolation they run.
final class OpenStore {
    let layout: StoreLayout
    let system: FileSystem
    let configuration: FileTelemetryTransport.Configuration
    let journal: JournalWriter
    let indexes: JournalIndexes
    let segments: SegmentReader
    let clients: OpenClients
    let recordCache: RecordCache
    /// What a page leaves for the next one.
    var recent = RecentReads()
    /// The store's identifier, which its cursors contain.
    private(set) var id: String
    /// The identifiers of earlier stores in the directory.
    private var formerIDs: Set<String> = []

    /// Opens the store in a directory, or creates it.
    init(
        layout: StoreLayout, system: FileSystem, configuration: FileTelemetryTransport.Configuration
    ) throws(TelemetryTransportError) {
        let format = StoreFormat(layout: layout, system: system, diagnostics: configuration.diagnostics)
        id = try format.prepare()
        format.clean()
        self.layout = layout
        self.system = system
        self.configuration = configuration
        journal = JournalWriter(layout: layout, system: system, configuration: configuration, storeID: id)
        indexes = JournalIndexes(layout: layout, system: system)
        segments = SegmentReader(layout: layout, system: system, diagnostics: configuration.diagnostics)
        clients = OpenClients(
            of: .init(layout: layout, system: system, configuration: configuration, reader: segments, journal: journal))
        recordCache = RecordCache(files: RecordFiles(layout: layout, system: system, configuration: configuration))
        try? journal.prepare()
        if configuration.isDurable { try? system.synchronizeDirectory(layout.directory) }
        if let age = configuration.retention.age { try? RetentionClock(layout: layout, system: system, age: age).begin() }
    }

    var files: RecordFiles { RecordFiles(layout: layout, system: system, configuration: configuration) }

    var ledger: JournalLedger {
        JournalLedger(
            layout: layout, system: system, isDurable: configuration.isDurable, diagnostics: configuration.diagnostics)
    }

    /// What can be decided on a filter without reading events.
    func bounds(of filter: TelemetryEventFilter) -> EventBounds {
        let filter = filter.narrowed()
        return EventBounds(filter, client: filter.clientId.map { clients.directoryName(ofClient: $0) })
    }

    func report(_ kind: TelemetryDiagnostic.Kind, _ message: String) {
        configuration.diagnostics?(TelemetryDiagnostic(kind: kind, message: message))
    }

    // MARK: Calls

    /// Repeats `attempt`, at growing intervals, while a lock is held elsewhere.
    ///
    /// The timeout counts requested sleep, not elapsed time: on a busy machine the holder of the lock is slow as well. Nothing is
    /// locked while this waits. If no descriptors are left, the files that are kept open are closed, and `attempt` is repeated
    /// once; if the directory was lost, it is created again, once.
    nonisolated(nonsending) func whenUnlocked<Result>(
        _ what: String, _ attempt: () throws -> Result?
    ) async throws -> Result {
        var waited = Duration.zero
        var delay = Duration.microseconds(50)
        var mayRepair = true
        while true {
            do {
                if let result = try attempt() { return result }
            } catch let error as FileError {
                guard mayRepair, error.isNotFound || error.isOutOfDescriptors else { throw error.transportError }
                mayRepair = false
                closeFiles()
                if error.isNotFound { try restore() }
                continue
            }
            guard waited < configuration.lockTimeout else {
                throw TelemetryTransportError(
                    code: .unavailable, message: "Another process has kept \(what) locked for \(configuration.lockTimeout).")
            }
            try await system.clock.sleep(for: delay)
            waited += delay
            delay = min(delay * 2, .milliseconds(10))
        }
    }

    /// Runs `body` under a client's lock, as ``whenUnlocked(_:_:)`` does; nil from it means that the journal is busy.
    nonisolated(nonsending) func withLockedClient<Result>(
        _ name: String, _ body: (ClientStore) throws -> Result?
    ) async throws -> Result {
        try await whenUnlocked("the events of a client") {
            let client = clients[name]
            guard try client.tryLock() else { return nil }
            defer { client.unlock() }
            return try body(client)
        }
    }

    /// Runs `body` under the lock of all records and with the journal open for writing, as ``whenUnlocked(_:_:)`` does.
    nonisolated(nonsending) func withLockedRecords<Result>(
        _ body: (_ write: (JournalLine) throws(FileError) -> Void) throws -> Result
    ) async throws -> Result {
        try await whenUnlocked("the records") {
            let lock = try system.open(layout.recordsLock, for: .update)
            guard try lock.tryLock(.exclusive) else { return nil }
            defer { lock.unlock() }
            guard try lock.status().isLinked, try journal.begin() != nil else { return nil }
            defer { journal.end() }
            return try body { line throws(FileError) in
                try journal.write([line])
                journal.currentEnd.note(in: lock)
            }
        }
    }

    /// Runs a read operation. If no descriptors are left, closes the files that are kept open, and repeats it once.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as FileError {
            guard error.isOutOfDescriptors else { throw error.transportError }
            closeFiles()
            do { return try body() } catch let error as FileError { throw error.transportError }
        }
    }

    /// The directories of the clients whose events the filter may match.
    func clientDirectories(of filter: TelemetryEventFilter) throws -> [String] {
        try reading {
            guard let clientId = filter.clientId else { return try system.directories(in: layout.events) }
            let name = clients.directoryName(ofClient: clientId)
            if try system.status(layout.client(directory: name)) != nil { return [name] }
            // Throws if the store is unreachable: it must not appear empty.
            _ = try system.list(layout.events)
            return []
        }
    }

    /// Closes every file that is kept open only for speed.
    private func closeFiles() {
        clients.closeFiles()
        segments.close()
        recent.walk = nil
        recordCache.stopWatching()
        journal.close()
    }

    // MARK: Identity

    /// Creates missing directories again.
    private func restore() throws {
        do {
            adopt(try StoreFormat(layout: layout, system: system).prepare())
        } catch {
            // The directory was a store and may be one again later.
            guard error.code == .invalidArgument || error.code == .corrupted else { throw error }
            throw TelemetryTransportError(code: .unavailable, message: "The store was removed. \(error.message)", cause: error)
        }
        try journal.prepare()
    }

    /// Whether the directory is a store of this version that can be read and written.
    func isUsable() -> Bool {
        do {
            _ = try StoreFormat(layout: layout, system: system).prepare()
            _ = try system.list(layout.records)
            let probe = "\(layout.directory)/-\(EventIdentifier.randomPrefix())"
            defer { try? system.remove(probe) }
            try system.open(probe, for: .create).write([UInt8(ascii: "\n")])
            return true
        } catch {
            return false
        }
    }

    /// Continues with the store that is now in the directory.
    func adopt(_ newID: String) {
        guard newID != id else { return }
        report(.unexpectedInput, "\(layout.directory) was replaced by another store; existing cursors start at its beginning.")
        formerIDs.insert(id)
        id = newID
        journal.storeID = newID
    }

    /// Whether a cursor is of an earlier store in the directory.
    func isFormer(_ cursor: TelemetryCursor) -> Bool {
        formerIDs.contains { JournalPosition(text: cursor.rawValue, ofStore: $0) != nil }
    }

    /// Notes an entry of the journal that cannot be read, to count the client's events again: they were counted when they were
    /// stored, but are not read.
    func noteTornBatch(ofClient name: String, _ position: JournalPosition) {
        let isClient = StoreLayout.isFileName(name) && (try? system.status(layout.client(directory: name))) != nil
        let names = isClient ? [name] : (try? system.directories(in: layout.events)) ?? []
        for name in names { segments.noteDamage(ofClient: name, at: "\(position.file).log:\(position.offset)") }
    }
}

extension FileError {
    /// The equivalent error of a transport.
    var transportError: TelemetryTransportError {
        let code: TelemetryTransportError.Code =
            if isOutOfSpace {
                .quotaExceeded
            } else if isDenied {
                .unauthorized
            } else {
                isNameTooLong ? .invalidArgument : .unavailable
            }
        return TelemetryTransportError(code: code, message: "The store could not \(description).", cause: self)
    }
}
