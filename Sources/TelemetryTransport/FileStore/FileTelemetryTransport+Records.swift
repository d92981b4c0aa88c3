public import TelemetryModels
import TelemetrySystem

extension FileTelemetryTransport {
    private var files: RecordFiles { RecordFiles(layout: layout, system: system, configuration: configuration) }

    public func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        try NameRules.check(records)
        var saved: [TelemetryRecord] = []
        var failures: [TelemetryRecord.ID: TelemetryTransportError] = [:]
        for record in records {
            do {
                saved.append(try await changingRecords { try save(record, policy: policy) })
            } catch let error as TelemetryTransportError {
                failures[record.recordID] = error
            }
        }
        collectJournal()
        if let failure = TelemetryTransportError.outcome(of: failures, among: records.count) { throw failure }
        return saved
    }

    private func save(_ record: TelemetryRecord, policy: TelemetrySavePolicy) throws -> (TelemetryRecord, PreparedChange?) {
        let found = try find(record.recordID)
        if let refusal = policy.refusal(of: record, over: found?.record) { throw refusal }
        var stored = record
        stored.changeTag = EventIdentifier.unique()
        let directory = layout.records(ofType: record.recordType)
        let place = RecordPlace(path: "\(directory)/\(StoreLayout.fileName(of: record.recordID))", directory: directory)
        let replacement = RecordReplacement(
            files: files, temporary: try files.prepare(stored, in: directory), place: place, former: found?.place)
        let change = PreparedChange(
            entry: RecordChange(stored, isRemoval: false), make: replacement.make, discard: replacement.discard)
        return (stored, change)
    }

    public func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? {
        do { return try find(id)?.record } catch { throw error.transportError }
    }

    public func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        do {
            let directory = layout.records(ofType: query.recordType)
            return query.apply(
                to: try recordCache.records(
                    in: directory, below: layout.records, fulfilling: query.conditions, where: query.matches))
        } catch {
            throw error.transportError
        }
    }

    @discardableResult
    public func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        var count = 0
        for id in ids {
            count += try await changingRecords {
                guard let found = try find(id) else { return (0, nil) }
                let change = PreparedChange(
                    entry: RecordChange(found.record, isRemoval: true),
                    make: { [files] in try files.remove(found.place.path, in: found.place.directory) })
                return (1, change)
            }
        }
        collectJournal()
        return count
    }

    private func find(_ id: TelemetryRecord.ID) throws(FileError) -> (record: TelemetryRecord, place: RecordPlace)? {
        let name = StoreLayout.fileName(of: id)
        for type in try system.list(layout.records) where !type.hasPrefix("-") {
            let directory = "\(layout.records)/\(type)"
            let path = "\(directory)/\(name)"
            if let record = try files.read(TelemetryRecord.self, at: path), record.recordID == id {
                return (record, RecordPlace(path: path, directory: directory))
            }
        }
        return nil
    }

    /// A prepared change, whose remaining steps are unlikely to fail, and its entry in the journal.
    private struct PreparedChange {
        var entry: RecordChange
        var make: () throws -> Void
        var discard: () -> Void = {}
    }

    /// Makes a change under the lock of all records.
    ///
    /// The journal entry is written first: without space for it, nothing changes. If the process is killed after that, the entry
    /// may describe a change that was not made, but no change lacks an entry. Readers of the entry wait for the lock.
    private func changingRecords<Result>(_ prepare: () throws -> (Result, PreparedChange?)) async throws -> Result {
        try await whenUnlocked("the records") {
            let lock = try system.open(layout.recordsLock, for: .update)
            guard try lock.tryLock(.exclusive) else { return nil }
            defer { lock.unlock() }
            guard try lock.status().isLinked, try journal.begin() != nil else { return nil }
            defer { journal.end() }
            let (result, change) = try prepare()
            guard let change else { return result }
            defer { change.discard() }
            try journal.write([.record(change.entry)])
            journal.currentEnd.note(in: lock)
            try change.make()
            noteRecord(change.entry)
            return result
        }
    }
}

extension RecordChange {
    init(_ record: TelemetryRecord, isRemoval: Bool) {
        self.init(
            isRemoval: isRemoval, recordType: record.recordType, recordName: record.recordID.recordName,
            clientId: record[TelemetrySchema.ClientField.clientId.rawValue]?.stringValue)
    }
}
