public import TelemetryModels

/// The control plane: a small number of mutable records, each with an identifier and a tag of the stored version.
///
/// Every method may be called concurrently from any task, and may throw `CancellationError` if it is cancelled.
public protocol TelemetryRecordTransport: Sendable {
    /// Stores records, each atomically, and returns them as stored, in the order given, with their new change tags.
    ///
    /// - Throws: ``TelemetryTransportError``. For a single record: `.conflict`, with the stored record, if the policy does not
    ///   allow replacing it; `.notFound` if the version to replace was removed. If some of several records fail, the others are
    ///   saved, and `.partialFailure` contains the failures.
    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord]

    /// The stored record, or nil if there is none.
    func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord?

    /// The stored records that match the query, in its order.
    func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord]

    /// Removes records and returns how many of them existed.
    @discardableResult
    func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int
}
