import TelemetryModels
import TelemetrySystem

/// Removing the directories of clients that have no events.
extension FileTelemetryTransport {
    /// How long the identifiers of deleted events are kept: an append repeated within that time stores none of them.
    private static let identityLifetime: Int64 = 86_400

    /// Tracks which clients' records were deleted, and removes the directory of a client that has neither record nor events.
    func noteRecord(_ change: RecordChange) {
        guard change.recordType == TelemetrySchema.clientRecordType, let clientId = change.clientId else { return }
        guard change.isRemoval else {
            clientsWithoutRecord.remove(clientId)
            return
        }
        if clientsWithoutRecord.count >= 4_096 { clientsWithoutRecord.removeAll() }
        clientsWithoutRecord.insert(clientId)
        removeGoneClients(matching: TelemetryEventFilter(clientId: clientId))
    }

    /// Removes the directories of clients whose record and events were deleted, if the filter matches all events of a client.
    func removeGoneClients(matching filter: TelemetryEventFilter) {
        guard filter.selectsWholeClients else { return }
        for clientId in clientsWithoutRecord where filter.clientId == nil || filter.clientId == clientId {
            let name = directoryName(ofClient: clientId)
            do {
                guard try system.status(layout.client(directory: name)) != nil else { continue }
                try client(named: name).removeDirectoryIfEmpty()
            } catch {
                report(.storageFailed, "The directory of the client \"\(clientId)\" could not be removed: \(error)")
            }
        }
    }

    /// Removes the directories of clients without events for a day. A directory with events removed by retention is kept while
    /// the journal has entries of the client, so that readers can count the events that they missed.
    func removeEmptyClients() throws {
        let oldest = system.now() - Self.identityLifetime
        var empty: Set<String> = []
        var withRetiredSegments: Set<String> = []
        for name in try system.directories(in: layout.events) {
            let path = layout.client(directory: name)
            let modified = try system.status("\(path)/identity")?.modified ?? system.status(path)?.modified
            if let modified, modified < oldest, try ClientStore.isEmpty(path, system) {
                empty.insert(name)
                if try system.status("\(path)/retired") != nil { withRetiredSegments.insert(name) }
            }
        }
        if !withRetiredSegments.isEmpty { empty.subtract(try clientsInJournal(among: withRetiredSegments)) }
        for name in empty { try client(named: name).removeDirectoryIfEmpty() }
    }

    private func clientsInJournal(among names: Set<String>) throws(FileError) -> Set<String> {
        var found: Set<String> = []
        let numbers = try system.list(layout.journal).compactMap(StoreLayout.journalNumber)
        var lines = JournalReader(
            layout: layout, system: system, diagnostics: nil,
            position: JournalPosition(file: numbers.min() ?? 1, offset: 0, events: 0))
        while found.count < names.count, let (line, _) = try lines.next() {
            if case .batch(let batch) = line, names.contains(batch.client) { found.insert(batch.client) }
        }
        return found
    }
}
