public import TelemetryTransport

/// Stores records, which are few, mutable and identified by name and change tag, and the log of their changes.
public protocol RelayRecordStorage: Sendable {
    /// Saves records in order, in one transaction.
    ///
    /// For each record, first calls `admit` inside the transaction with the proposed record and the stored record of that name,
    /// or nil. `admit` returns the record to store, or throws: then nothing of the whole call is saved, and its error is
    /// rethrown. Then applies the policy: a record that it refuses is a failure of that record only. `admit` must be fast, must
    /// not change the record's name, type or client, and may be called more than once.
    /// - Parameter entries: returns the entries of the audit for a record that was saved over the stored one. Called inside the
    ///   transaction, in which they are written.
    func save(
        _ records: [RelayRecord], policy: TelemetrySavePolicy,
        entries: @escaping @Sendable (_ saved: RelayRecord, _ stored: RelayRecord?) -> [RelayAuditEntry],
        admit: @escaping @Sendable (_ proposed: RelayRecord, _ stored: RelayRecord?) throws -> RelayRecord
    ) async throws -> RelaySaveResult

    /// Returns the stored record; nil if there is none.
    func record(named name: String) async throws -> RelayRecord?

    /// Returns a page of the records that match the query. Pages are in the query's order, in which only the beginnings of long
    /// strings count. Does not hold more records in memory than the page has.
    /// - Parameter clients: limits the result to records whose `clientid` is one of these; nil means no limit.
    /// - Throws: ``RelayStorageError/invalidCursor``.
    func page(
        matching query: TelemetryRecordQuery, of clients: Set<String>?, _ request: RelayRecordPageRequest
    ) async throws -> RelayRecordPage

    /// Returns what a client's records of these types use, without those that have one of these names.
    func usage(of client: String, types: [String], without names: [String]) async throws -> RelayRecordUsage

    /// Deletes records in one transaction.
    /// - Parameters:
    ///   - entry: returns the entry of the audit for a deleted record, or nil for none. Called inside the transaction, in which it is
    ///     written.
    ///   - admit: called with each stored record inside the transaction. If it returns false, the record is kept and not counted. If it
    ///     throws, nothing is deleted, and its error is rethrown.
    /// - Returns: the number of deleted records.
    func delete(
        named names: [String], entry: @escaping @Sendable (_ deleted: RelayRecord) -> RelayAuditEntry?,
        admit: @escaping @Sendable (RelayRecord) throws -> Bool
    ) async throws -> Int

    /// The position after the newest change.
    func latestChange() async throws -> RelayChangePosition

    /// Returns at most `limit` changes after a position, oldest first; nil if the position is too old or from another database,
    /// so that the changes since then are unknown. The last 100,000 changes are kept by default, and 16 MiB of them.
    func changes(after position: RelayChangePosition, limit: Int) async throws -> [RelayRecordChange]?

    /// Yields an element when records of one of these clients, or records without a client, may have changed (nil: any record).
    /// Several changes may yield one element, and an element may be spurious. Subscribe first, then read: no change after the
    /// call is missed. Changes over another relay follow within a second while ``RelayStorage/run()`` runs.
    func hints(of clients: Set<String>?) -> AsyncStream<Void>
}

extension RelayRecordStorage {
    /// Saves records without an entry of the audit.
    public func save(
        _ records: [RelayRecord], policy: TelemetrySavePolicy,
        admit: @escaping @Sendable (_ proposed: RelayRecord, _ stored: RelayRecord?) throws -> RelayRecord = { proposed, _ in
            proposed
        }
    ) async throws -> RelaySaveResult {
        try await save(records, policy: policy, entries: { _, _ in [] }, admit: admit)
    }

    /// Deletes records without an entry of the audit.
    public func delete(
        named names: [String], admit: @escaping @Sendable (RelayRecord) throws -> Bool = { _ in true }
    ) async throws -> Int {
        try await delete(named: names, entry: { _ in nil }, admit: admit)
    }
}
