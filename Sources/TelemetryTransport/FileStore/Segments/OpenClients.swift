import TelemetrySystem

/// The clients' parts of a store that were used last; their files are kept open.
final class OpenClients {
    private static let nameLimit = 4_096

    private let shared: ClientStore.Shared
    private var clients: [String: ClientStore] = [:]
    private var directoryNames: [String: String] = [:]
    /// For clients whose files were closed: the write position, and the inode of the checked identity file.
    private var idle: [String: (segment: SegmentWriter?, checkedIdentity: UInt64?)] = [:]
    private var uses: UInt64 = 0
    private var limit = 32

    init(of shared: ClientStore.Shared) { self.shared = shared }

    /// Keeps the files of at least that many clients open, three for each.
    func keepOpen(_ count: Int) { limit = max(count, limit) }

    /// A client's part of the store. If too many clients have open files, closes those of the least recently used ones.
    subscript(name: String) -> ClientStore {
        uses += 1
        let client: ClientStore
        if let known = clients[name] {
            client = known
        } else {
            if clients.count >= limit { closeOldest() }
            client = ClientStore(name: name, shared: shared)
            if let state = idle.removeValue(forKey: name) { (client.segment, client.checkedIdentity) = state }
            clients[name] = client
        }
        client.lastUse = uses
        return client
    }

    /// The name of a client's directory, cached because encoding it is slow.
    func directoryName(ofClient clientId: String?) -> String {
        guard let clientId else { return StoreLayout.client(nil) }
        if let known = directoryNames[clientId] { return known }
        if directoryNames.count >= Self.nameLimit { directoryNames.removeAll() }
        let name = StoreLayout.client(clientId)
        directoryNames[clientId] = name
        return name
    }

    func closeFiles() {
        for client in clients.values { close(client) }
    }

    /// Closes an eighth at once, because finding the oldest takes long with many clients.
    private func closeOldest() {
        let oldest = clients.values.sorted { $0.lastUse < $1.lastUse }
        for client in oldest.prefix(max(1, limit / 8)) { close(client) }
    }

    private func close(_ client: ClientStore) {
        client.closeFiles()
        if idle.count >= Self.nameLimit { idle.removeAll() }
        idle[client.name] = (client.segment, client.checkedIdentity)
        clients[client.name] = nil
    }
}
