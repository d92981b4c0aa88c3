public import Foundation
import TelemetryModels
package import TelemetryStorage

/// A store in a directory that any number of processes on one machine share: clients, viewers, tools.
///
/// Records are files that are written whole and renamed; events are lines of JSON in append-only segments, one writer each; a
/// journal tells the order of everything and is what others follow. A process that is killed at any moment loses nothing that
/// a call had returned for. The article "The file store's format" describes the files.
///
/// A directory that is lost is made again, empty, by the next call that writes. Every method throws
/// ``TelemetryTransportError``: `.unavailable` where the system fails or another process keeps a lock too long, `.quotaExceeded`
/// where the disk is full, `.unauthorized` where the system forbids it.
public actor FileTelemetryTransport: TelemetryTransporting {
    nonisolated let layout: StoreLayout
    nonisolated let system: FileSystem
    nonisolated let configuration: Configuration
    nonisolated let follower: JournalFollower
    /// The store's identifier, which its cursors contain.
    var storeID: String
    /// Names by which this transport knew the store before it was lost and made again.
    var formerStoreIDs: Set<String> = []
    /// The journal file that was last seen to be of the store of that name.
    var journalWitness = JournalFileWitness()
    let journal: JournalWriter
    let format: StoreFormatVersion
    let segments: SegmentReader
    var recentEnds = RecentSegmentEnds()
    var encoder = EventLineEncoder()
    /// Of journal files that cannot go yet, a segment each that they tell of.
    var remainingSegments: [UInt64: String] = [:]
    /// Clients whose record was deleted here: once they have no events either, nothing of them is kept.
    var clientsWithoutRecord: Set<String> = []
    private var clients: [String: ClientStore] = [:]
    private var clientNames: [String: String] = [:]
    /// The write positions in segments of clients whose files were closed, and what was checked of them.
    private var idleClients: [String: (segment: SegmentWriter?, checkedIdentity: UInt64?)] = [:]
    private var uses: UInt64 = 0

    /// Opens the store in a directory, which is made where it is missing: directories with mode 0700, files with 0600.
    ///
    /// - Throws: ``TelemetryTransportError``: `.invalidArgument` where the path is not a directory or no path of a file,
    ///   `.corrupted` where the directory holds another format or a version of this one that is not known, which is left as
    ///   it is; `.unauthorized` where the directory belongs to another user, or every user may write to it;
    ///   `.unauthorized`, `.quotaExceeded` or `.unavailable` where the system refuses.
    public init(directory: URL, configuration: Configuration = .default) throws {
        try self.init(directory: directory, configuration: configuration, system: FileSystem())
    }

    package init(directory: URL, configuration: Configuration, system: FileSystem) throws {
        guard directory.isFileURL, !directory.path.isEmpty else {
            throw TelemetryTransportError.invalidArgument("\(directory) is not the path of a directory.")
        }
        let layout = StoreLayout(directory: directory.standardizedFileURL.path)
        let format = StoreFormat(layout: layout, system: system, diagnostics: configuration.diagnostics)
        let storeID: String
        do { storeID = try format.prepare() } catch { throw TelemetryTransportError(error) }
        format.clean()
        self.storeID = storeID
        self.layout = layout
        self.system = system
        self.configuration = configuration
        self.format = StoreFormatVersion(layout: layout, system: system)
        journal = JournalWriter(layout: layout, system: system, configuration: configuration.store, storeID: storeID)
        segments = SegmentReader(layout: layout, system: system, diagnostics: configuration.diagnostics)
        try? journal.prepare()
        if configuration.durability == .system { try? system.synchronizeDirectory(layout.directory) }
        if let age = configuration.retention.age { try? RetentionClock(layout: layout, system: system, age: age).begin() }
        follower = JournalFollower(layout: layout, system: system, configuration: configuration.store)
    }

    deinit { follower.stop() }
}

extension FileTelemetryTransport {
    private static let clientsWithOpenFiles = 32

    /// The client's part of the store. The files of the one used longest ago are closed where many are open.
    func client(named name: String) -> ClientStore {
        uses += 1
        let client: ClientStore
        if let known = clients[name] {
            client = known
        } else {
            if clients.count >= Self.clientsWithOpenFiles { closeOldestClient() }
            client = ClientStore(
                name: name,
                shared: .init(
                    layout: layout, system: system, configuration: configuration.store, reader: segments, journal: journal,
                    format: format))
            if let idle = idleClients.removeValue(forKey: name) {
                (client.segment, client.checkedIdentity) = idle
            }
            clients[name] = client
        }
        client.lastUse = uses
        return client
    }

    /// The name of a client's directory, which takes some work to find.
    func directoryName(ofClient clientId: String?) -> String {
        guard let clientId else { return StoreLayout.client(nil) }
        if let known = clientNames[clientId] { return known }
        if clientNames.count >= 4_096 { clientNames.removeAll() }
        let name = StoreLayout.client(clientId)
        clientNames[clientId] = name
        return name
    }

    private func closeOldestClient() {
        guard let oldest = clients.values.min(by: { $0.lastUse < $1.lastUse }) else { return }
        close(oldest)
    }

    private func close(_ client: ClientStore) {
        client.closeFiles()
        if idleClients.count >= 4_096 { idleClients.removeAll() }
        idleClients[client.name] = (client.segment, client.checkedIdentity)
        clients[client.name] = nil
    }

    /// Closes every file that is kept open only to save time.
    func closeFiles() {
        for client in clients.values { close(client) }
        segments.close()
        journal.close()
    }

    nonisolated func tell(_ kind: TelemetryDiagnostic.Kind, _ message: String) {
        configuration.diagnostics?(TelemetryDiagnostic(kind: kind, message: message))
    }
}
