public import TelemetryModels

extension InMemoryTelemetryTransport {
    public func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        try NameRules.check(records)
        var saved: [TelemetryRecord] = []
        var failures: [TelemetryRecord.ID: TelemetryTransportError] = [:]
        for record in records {
            if let refusal = policy.refusal(of: record, over: self.records[record.recordID]) {
                failures[record.recordID] = refusal
                continue
            }
            savedVersions += 1
            var stored = record
            stored.changeTag = "\(savedVersions)"
            let replaced = self.records.updateValue(stored, forKey: record.recordID)
            saved.append(stored)
            notify(of: stored, replacing: replaced)
        }
        if let failure = TelemetryTransportError.outcome(of: failures, among: records.count) { throw failure }
        return saved
    }

    public func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? { records[id] }

    public func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        query.apply(to: records.values)
    }

    @discardableResult
    public func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        var count = 0
        for id in ids {
            guard let removed = records.removeValue(forKey: id) else { continue }
            count += 1
            notify(of: removed, replacing: nil)
        }
        return count
    }

    /// A subscription for a client is also notified when a record changes to another client.
    private func notify(of record: TelemetryRecord, replacing replaced: TelemetryRecord?) {
        for subscription in subscriptions.values
        where subscription.covers(record) || replaced.map(subscription.covers) ?? false {
            notificationStreams.yield(
                TelemetryNotification(
                    subscriptionID: subscription.id, recordType: record.recordType, recordID: record.recordID))
        }
    }
}
