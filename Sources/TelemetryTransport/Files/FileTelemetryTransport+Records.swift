public import TelemetryModels

extension FileTelemetryTransport {
    private var files: RecordFiles { RecordFiles(layout: layout, system: system, configuration: configuration) }

    public func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        var saved: [TelemetryRecord] = []
        var failures: [TelemetryRecord.ID: TelemetryTransportError] = [:]
        for record in records {
            do {
                saved.append(try await changingRecords { try save(record, policy: policy) })
            } catch let error as TelemetryTransportError {
                failures[record.recordID] = error
            }
        }
        if let failure = TelemetryTransportError.outcome(of: failures, among: records.count) { throw failure }
        return saved
    }

    private func save(
        _ record: TelemetryRecord, policy: TelemetrySavePolicy
    ) throws -> (TelemetryRecord, [RecordChange]) {
        let found = try find(record.recordID)
        if let refusal = policy.refusal(of: record, over: found?.record) { throw refusal }
        var stored = record
        stored.changeTag = EventIdentifier.unique()
        let directory = layout.records(ofType: record.recordType)
        let path = "\(directory)/\(StoreLayout.fileName(of: record.recordID))"
        try files.write(stored, to: path, in: directory)
        // A record that changes its type leaves the directory of the old one.
        if let found, found.path != path { try files.remove(found.path, in: found.directory) }
        return (stored, [RecordChange(stored, isRemoval: false)])
    }

    public func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? {
        do { return try find(id)?.record } catch { throw error.transportError }
    }

    public func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        do {
            let directory = layout.records(ofType: query.recordType)
            let records = try files.names(in: directory, below: layout.records).compactMap {
                try files.read(TelemetryRecord.self, at: "\(directory)/\($0)")
            }
            return query.apply(to: records)
        } catch let error as FileError {
            throw error.transportError
        }
    }

    @discardableResult
    public func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        var count = 0
        for id in ids {
            count += try await changingRecords {
                guard let found = try find(id) else { return (0, []) }
                try files.remove(found.path, in: found.directory)
                return (1, [RecordChange(found.record, isRemoval: true)])
            }
        }
        return count
    }

    private func find(_ id: TelemetryRecord.ID) throws(FileError) -> (record: TelemetryRecord, path: String, directory: String)? {
        let name = StoreLayout.fileName(of: id)
        for type in try system.list(layout.records) where !type.hasPrefix("-") {
            let directory = "\(layout.records)/\(type)"
            let path = "\(directory)/\(name)"
            if let record = try files.read(TelemetryRecord.self, at: path), record.recordID == id {
                return (record, path, directory)
            }
        }
        return nil
    }

    /// Runs a change under the lock of all records and tells of it in the journal.
    private func changingRecords<Result>(_ change: () throws -> (Result, [RecordChange])) async throws -> Result {
        try await whenUnlocked("the records") {
            let lock = try system.open(layout.recordsLock, for: .update)
            guard try lock.tryLock(.exclusive) else { return nil }
            defer { lock.unlock() }
            guard try lock.status().isLinked, try journal.begin() != nil else { return nil }
            defer { journal.end() }
            let (result, changes) = try change()
            if !changes.isEmpty { try journal.write(changes.map(JournalLine.record)) }
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
