public import TelemetryModels

/// The control plane: few, mutable records, each with an identity and a tag of the version that is stored.
///
/// Every method may be called from any task, also concurrently, and may throw `CancellationError` where it is cancelled.
public protocol TelemetryRecordTransport: Sendable {
    /// Stores records, each whole or not at all, and returns them as stored, in the order given, with their new change tags.
    ///
    /// - Throws: ``TelemetryTransportError``. The failure of a single record is thrown as itself: `.conflict`, carrying the
    ///   stored record, where the policy forbids to replace it; `.notFound` where the version to replace is gone. Where some
    ///   of several fail, the others are saved and `.partialFailure` tells which failed and why.
    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord]

    /// The stored record, or nil where there is none.
    func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord?

    /// The stored records that fulfil the query, in its order.
    func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord]

    /// Removes records and returns how many of them were there.
    @discardableResult
    func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int
}
