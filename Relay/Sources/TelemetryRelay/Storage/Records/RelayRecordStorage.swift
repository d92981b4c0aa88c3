public import TelemetryTransport

/// Records: few, mutable, each with an identity and a tag of the version that is stored; and the log of their changes.
public protocol RelayRecordStorage: Sendable {
    /// Saves records in one transaction, in their order.
    ///
    /// For each record `admit` is called first, inside the transaction, with what is proposed and what is stored under its name
    /// (nil where nothing is). It returns what is to be stored, or throws: then nothing of the whole call is saved, and its error is
    /// thrown as it is. Then the policy decides: what it refuses is a failure of that record alone. `admit` must be quick, must not
    /// change the record's name, and may be called more than once.
    func save(
        _ records: [RelayRecord], policy: TelemetrySavePolicy,
        admit: @escaping @Sendable (_ proposed: RelayRecord, _ stored: RelayRecord?) throws -> RelayRecord
    ) async throws -> RelaySaveResult

    /// The stored record; nil where there is none.
    func record(named name: String) async throws -> RelayRecord?

    /// The records that fulfil the query, in its order.
    /// - Parameter clients: only records whose `clientid` is one of these; nil: any.
    func records(matching query: TelemetryRecordQuery, of clients: Set<String>?) async throws -> [RelayRecord]

    /// Deletes records in one transaction.
    /// - Parameter admit: called with each stored record inside the transaction. What it returns false for stays, as if it were
    ///   not there; where it throws, nothing is deleted, and its error is thrown as it is.
    /// - Returns: how many were deleted.
    func deleteRecords(
        named names: [String], admit: @escaping @Sendable (RelayRecord) throws -> Bool
    ) async throws -> Int

    /// The position behind the newest change.
    func latestRecordChange() async throws -> RelayChangePosition

    /// The changes after a position, the oldest first, at most `limit`; nil where it cannot be told which there were, because the
    /// position is too old or of another database. The last 100,000 changes are kept unless configured otherwise.
    func recordChanges(after position: RelayChangePosition, limit: Int) async throws -> [RelayRecordChange]?

    /// An element each time that records of one of these clients, or records without a client, may have changed (nil: any
    /// records); several changes may be one element, and one may be for nothing. Subscribe first, then read: no change after the
    /// call is missed. Changes over another relay follow within a second while ``RelayStorage/run()`` runs.
    func recordHints(of clients: Set<String>?) -> AsyncStream<Void>
}

extension RelayRecordStorage {
    /// Saves without a rule of the caller's.
    public func save(_ records: [RelayRecord], policy: TelemetrySavePolicy) async throws -> RelaySaveResult {
        try await save(records, policy: policy) { proposed, _ in proposed }
    }

    /// Deletes without a rule of the caller's.
    public func deleteRecords(named names: [String]) async throws -> Int { try await deleteRecords(named: names) { _ in true } }
}
