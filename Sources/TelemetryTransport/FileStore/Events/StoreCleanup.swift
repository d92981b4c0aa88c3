import TelemetryModels
import TelemetrySystem

/// Removes what a store no longer needs: completed journal files, and the directories of clients that have no events.
final class StoreCleanup {
    /// How long the identifiers of deleted events are kept, in seconds: an append repeated within that time stores none of them.
    private static let identityLifetime: Int64 = 86_400
    private static let clientLimit = 4_096

    private let store: OpenStore
    /// For each journal file that is still needed, an existing segment with an entry in it.
    private var remainingSegments: [UInt64: String] = [:]
    /// Clients whose record this transport deleted. Their directory is removed once they have no events.
    private var clientsWithoutRecord: Set<String> = []

    init(_ store: OpenStore) { self.store = store }

    /// Removes journal files that are no longer needed, each time one is completed.
    func collectJournal() {
        guard store.journal.hasEndedFile else { return }
        store.journal.hasEndedFile = false
        do {
            for number in store.journal.takeEndedFiles() { try store.indexes.save(number, storeID: store.id) }
            try store.ledger.collect(&remainingSegments)
            try removeEmptyClients()
        } catch {
            store.report(.storageFailed, "Old journal files could not be removed: \(error)")
        }
    }

    /// Tracks which clients' records were deleted, and removes the directory of a client that has neither record nor events.
    func noteRecord(_ change: RecordChange) {
        guard change.recordType == TelemetrySchema.clientRecordType, let clientId = change.clientId else { return }
        guard change.isRemoval else {
            clientsWithoutRecord.remove(clientId)
            return
        }
        if clientsWithoutRecord.count >= Self.clientLimit { clientsWithoutRecord.removeAll() }
        clientsWithoutRecord.insert(clientId)
        removeGoneClients(matching: TelemetryEventFilter(clientId: clientId))
    }

    /// Removes the directories of clients whose record and events were deleted, if the filter matches all events of a client.
    func removeGoneClients(matching filter: TelemetryEventFilter) {
        guard filter.selectsWholeClients else { return }
        for clientId in clientsWithoutRecord where filter.clientId == nil || filter.clientId == clientId {
            let name = store.clients.directoryName(ofClient: clientId)
            do {
                guard try store.system.status(store.layout.client(directory: name)) != nil else { continue }
                try store.clients[name].removeDirectoryIfEmpty()
            } catch {
                store.report(.storageFailed, "The directory of the client \"\(clientId)\" could not be removed: \(error)")
            }
        }
    }

    /// Removes the directories of clients without events for a day. A directory with events removed by retention is kept while
    /// the journal has entries of the client, so that readers can count the events that they missed.
    private func removeEmptyClients() throws {
        let system = store.system
        let oldest = system.now() - Self.identityLifetime
        var empty: Set<String> = []
        var withRetiredSegments: Set<String> = []
        for name in try system.directories(in: store.layout.events) {
            let path = store.layout.client(directory: name)
            let modified = try system.status("\(path)/identity")?.modified ?? system.status(path)?.modified
            if let modified, modified < oldest, try ClientStore.isEmpty(path, system) {
                empty.insert(name)
                if try system.status("\(path)/retired") != nil { withRetiredSegments.insert(name) }
            }
        }
        if !withRetiredSegments.isEmpty { empty.subtract(try clientsInJournal(among: withRetiredSegments)) }
        for name in empty { try store.clients[name].removeDirectoryIfEmpty() }
    }

    private func clientsInJournal(among names: Set<String>) throws(FileError) -> Set<String> {
        var found: Set<String> = []
        let numbers = try store.system.list(store.layout.journal).compactMap(StoreLayout.journalNumber)
        var lines = JournalReader(
            layout: store.layout, system: store.system, diagnostics: nil,
            position: JournalPosition(file: numbers.min() ?? 1, offset: 0, events: 0))
        while found.count < names.count, let (line, _) = try lines.next() {
            if case .batch(let batch) = line, names.contains(batch.client) { found.insert(batch.client) }
        }
        return found
    }
}
