public import Foundation
import TelemetryModels
package import TelemetrySystem

/// A store in a directory that any number of processes on one machine share: clients, viewers, tools.
///
/// Each record is a file that is replaced atomically. Events are lines of JSON in append-only segments with one writer each. A
/// journal lists all changes in order, for other processes to follow. If a process is killed, the data of calls that returned is
/// not lost. The article "The file store's format" describes the files.
///
/// If the directory is removed, the next call that writes creates it again, empty. Every method throws
/// ``TelemetryTransportError``: `.unavailable` if the system fails or another process holds a lock too long, `.quotaExceeded` if
/// the disk is full, `.unauthorized` if the system denies access.
public actor FileTelemetryTransport: TelemetryTransporting, TelemetryEventBatchTransport {
    nonisolated let layout: StoreLayout
    nonisolated let system: FileSystem
    nonisolated let configuration: Configuration
    nonisolated let follower: JournalFollower
    /// The store's identifier, which its cursors contain.
    var storeID: String
    /// The identifiers of earlier stores in the directory.
    var formerStoreIDs: Set<String> = []
    /// The newest journal file when the store's identifier was last checked.
    var journalWitness = JournalFileWitness()
    let journal: JournalWriter
    let segments: SegmentReader
    let indexes: JournalIndexes
    let recordCache: RecordCache
    var recentEnds = RecentSegmentEnds()
    /// The reading of the journal where the last page ended.
    var recentWalk: (walk: JournalWalk, position: JournalPosition, filter: TelemetryEventFilter)?
    /// The entries of the journal file that was last read backwards.
    var recentEntries: JournalFileEntries?
    var encoder = EventLineEncoder()
    /// For each journal file that is still needed, an existing segment with an entry in it.
    var remainingSegments: [UInt64: String] = [:]
    /// Clients whose record this transport deleted. Their directory is removed once they have no events.
    var clientsWithoutRecord: Set<String> = []
    private var clients: [String: ClientStore] = [:]
    private var clientNames: [String: String] = [:]
    /// For clients whose files were closed: the write position, and the inode of the checked identity file.
    private var idleClients: [String: (segment: SegmentWriter?, checkedIdentity: UInt64?)] = [:]
    private var uses: UInt64 = 0
    private var clientsWithOpenFiles = 32

    /// Opens the store in a directory, or creates it, directories with mode 0700 and files with 0600.
    ///
    /// - Throws: ``TelemetryTransportError``: `.invalidArgument` if the URL is not a file URL or the path is not a directory;
    ///   `.corrupted` if the directory contains another format or another version of this one, which is left unchanged;
    ///   `.unauthorized` if the directory belongs to another user, or every user may write to it; `.unauthorized`,
    ///   `.quotaExceeded` or `.unavailable` for errors of the system.
    public init(directory: URL, configuration: Configuration = .default) throws {
        try self.init(directory: directory, configuration: configuration, system: FileSystem())
    }

    package init(directory: URL, configuration: Configuration, system: FileSystem) throws {
        guard directory.isFileURL, !directory.path.isEmpty else {
            throw TelemetryTransportError.invalidArgument("\(directory) is not the path of a directory.")
        }
        let layout = StoreLayout(directory: directory.standardizedFileURL.path)
        let format = StoreFormat(layout: layout, system: system, diagnostics: configuration.diagnostics)
        let storeID = try format.prepare()
        format.clean()
        self.storeID = storeID
        self.layout = layout
        self.system = system
        self.configuration = configuration
        journal = JournalWriter(layout: layout, system: system, configuration: configuration, storeID: storeID)
        segments = SegmentReader(layout: layout, system: system, diagnostics: configuration.diagnostics)
        indexes = JournalIndexes(layout: layout, system: system)
        recordCache = RecordCache(
            files: RecordFiles(layout: layout, system: system, configuration: configuration))
        try? journal.prepare()
        if configuration.durability == .system { try? system.synchronizeDirectory(layout.directory) }
        if let age = configuration.retention.age { try? RetentionClock(layout: layout, system: system, age: age).begin() }
        follower = JournalFollower(layout: layout, system: system, configuration: configuration)
    }

    deinit { follower.stop() }
}

extension FileTelemetryTransport {
    /// Keeps the files of more clients open, three for each, to append to many clients in turn. If descriptors run out, all are
    /// closed and opened again as needed; for the separate package of tools, not part of the interface.
    ///
    /// While a file is open, the space of a segment that another process removes is not free. A process that runs for long
    /// therefore keeps few files open.
    @_spi(Tooling)
    public func keepFilesOpen(ofClients count: Int) { clientsWithOpenFiles = max(count, clientsWithOpenFiles) }

    /// The client's part of the store. If too many clients have open files, closes those of the least recently used ones.
    func client(named name: String) -> ClientStore {
        uses += 1
        let client: ClientStore
        if let known = clients[name] {
            client = known
        } else {
            if clients.count >= clientsWithOpenFiles { closeOldestClients() }
            client = ClientStore(
                name: name,
                shared: .init(
                    layout: layout, system: system, configuration: configuration, reader: segments, journal: journal))
            if let idle = idleClients.removeValue(forKey: name) {
                (client.segment, client.checkedIdentity) = idle
            }
            clients[name] = client
        }
        client.lastUse = uses
        return client
    }

    /// The name of a client's directory, cached because encoding it is slow.
    func directoryName(ofClient clientId: String?) -> String {
        guard let clientId else { return StoreLayout.client(nil) }
        if let known = clientNames[clientId] { return known }
        if clientNames.count >= 4_096 { clientNames.removeAll() }
        let name = StoreLayout.client(clientId)
        clientNames[clientId] = name
        return name
    }

    /// Closes an eighth at once, because finding the oldest takes long with many clients.
    private func closeOldestClients() {
        let oldest = clients.values.sorted { $0.lastUse < $1.lastUse }
        for client in oldest.prefix(max(1, clientsWithOpenFiles / 8)) { close(client) }
    }

    private func close(_ client: ClientStore) {
        client.closeFiles()
        if idleClients.count >= 4_096 { idleClients.removeAll() }
        idleClients[client.name] = (client.segment, client.checkedIdentity)
        clients[client.name] = nil
    }

    /// Closes every file that is kept open only for speed.
    func closeFiles() {
        for client in clients.values { close(client) }
        segments.close()
        recentWalk = nil
        recordCache.stopWatching()
        journal.close()
    }

    nonisolated func report(_ kind: TelemetryDiagnostic.Kind, _ message: String) {
        configuration.diagnostics?(TelemetryDiagnostic(kind: kind, message: message))
    }
}
