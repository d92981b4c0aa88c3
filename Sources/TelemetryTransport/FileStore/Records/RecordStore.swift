import TelemetryModels
import TelemetrySystem

/// The records of a store: a file for each, changed under the lock of all records.
struct RecordStore {
    /// A prepared change, whose remaining steps are unlikely to fail, and its entry in the journal.
    private struct PreparedChange {
        var entry: RecordChange
        var make: () throws -> Void
        var discard: () -> Void = {}
    }

    let store: OpenStore
    let cleanup: StoreCleanup

    nonisolated(nonsending) func save(
        _ records: [TelemetryRecord], policy: TelemetrySavePolicy
    ) async throws -> [TelemetryRecord] {
        try TransportArguments.check(records)
        var saved: [TelemetryRecord] = []
        var failures: [TelemetryRecord.ID: TelemetryTransportError] = [:]
        for record in records {
            do {
                saved.append(try await changing { try save(record, policy: policy) })
            } catch let error as TelemetryTransportError {
                failures[record.recordID] = error
            }
        }
        cleanup.collectJournal()
        if let failure = TelemetryTransportError.outcome(of: failures, among: records.count) { throw failure }
        return saved
    }

    private func save(_ record: TelemetryRecord, policy: TelemetrySavePolicy) throws -> (TelemetryRecord, PreparedChange?) {
        let found = try find(record.recordID)
        if let refusal = policy.refusal(of: record, over: found?.record) { throw refusal }
        var stored = record
        stored.changeTag = EventIdentifier.unique()
        let directory = store.layout.records(ofType: record.recordType)
        let place = RecordPlace(path: "\(directory)/\(StoreLayout.fileName(of: record.recordID))", directory: directory)
        let replacement = RecordReplacement(
            files: store.files, temporary: try store.files.prepare(stored, in: directory), place: place, former: found?.place)
        let change = PreparedChange(
            entry: RecordChange(stored, isRemoval: false), make: replacement.make, discard: replacement.discard)
        return (stored, change)
    }

    func record(withID id: TelemetryRecord.ID) throws(TelemetryTransportError) -> TelemetryRecord? {
        do { return try find(id)?.record } catch { throw error.transportError }
    }

    func records(matching query: TelemetryRecordQuery) throws(TelemetryTransportError) -> [TelemetryRecord] {
        do {
            let directory = store.layout.records(ofType: query.recordType)
            return query.apply(
                to: try store.recordCache.records(
                    in: directory, below: store.layout.records, fulfilling: query.conditions, where: query.matches))
        } catch {
            throw error.transportError
        }
    }

    nonisolated(nonsending) func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        var count = 0
        for id in ids {
            count += try await changing {
                guard let found = try find(id) else { return (0, nil) }
                let change = PreparedChange(
                    entry: RecordChange(found.record, isRemoval: true),
                    make: { try store.files.remove(found.place.path, in: found.place.directory) })
                return (1, change)
            }
        }
        cleanup.collectJournal()
        return count
    }

    private func find(_ id: TelemetryRecord.ID) throws(FileError) -> (record: TelemetryRecord, place: RecordPlace)? {
        let name = StoreLayout.fileName(of: id)
        for type in try store.system.list(store.layout.records) where !type.hasPrefix("-") {
            let directory = "\(store.layout.records)/\(type)"
            let path = "\(directory)/\(name)"
            if let record = try store.files.read(TelemetryRecord.self, at: path), record.recordID == id {
                return (record, RecordPlace(path: path, directory: directory))
            }
        }
        return nil
    }

    /// Makes a change under the lock of all records.
    ///
    /// The journal entry is written first: without space for it, nothing changes. If the process is killed after that, the entry
    /// may describe a change that was not made, but no change lacks an entry. Readers of the entry wait for the lock.
    nonisolated(nonsending) private func changing<Result>(
        _ prepare: () throws -> (Result, PreparedChange?)
    ) async throws -> Result {
        try await store.withLockedRecords { write in
            let (result, change) = try prepare()
            guard let change else { return result }
            defer { change.discard() }
            try write(.record(change.entry))
            try change.make()
            cleanup.noteRecord(change.entry)
            return result
        }
    }
}

extension RecordChange {
    fileprivate init(_ record: TelemetryRecord, isRemoval: Bool) {
        self.init(
            isRemoval: isRemoval, recordType: record.recordType, recordName: record.recordID.recordName,
            clientId: record[TelemetrySchema.ClientField.clientId.rawValue]?.stringValue)
    }
}
