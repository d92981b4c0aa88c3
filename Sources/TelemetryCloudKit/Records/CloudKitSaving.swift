#if canImport(CloudKit)
import CloudKit
import TelemetryModels
import TelemetryTransport

/// Implements the three save policies with CloudKit's policy `ifServerRecordUnchanged`, the only one that loses no changes.
struct CloudKitSaving: Sendable {
    private typealias Stored = CloudKitReceipts.Stored
    typealias Outcome = CloudKitRequests.Outcome

    let requests: CloudKitRequests
    let receipts: CloudKitReceipts

    /// How often an overwrite is repeated after concurrent changes.
    private static let overwriteAttempts = 8

    /// Saves records of different identities; the outcomes are in their order.
    func save(_ batch: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [Outcome] {
        let names = batch.map { CKRecord.ID(recordName: CloudKitName.name(for: $0.recordID.recordName)) }
        var outcomes: [CKRecord.ID: Outcome] = [:]
        var pending = Array(zip(names, batch))
        for attempt in 1...Self.overwriteAttempts where !pending.isEmpty {
            try await save(pending, policy: policy, into: &outcomes)
            guard policy.replacesAnything, attempt < Self.overwriteAttempts else { break }
            pending = pending.filter { name, _ in outcomes[name]?.wasOvertaken ?? true }
        }
        return names.map { outcomes[$0].map { policy.replacesAnything ? $0.withoutRace : $0 } ?? CloudKitRequests.missingResult }
    }

    private func save(
        _ records: [(CKRecord.ID, TelemetryRecord)], policy: TelemetrySavePolicy,
        into outcomes: inout [CKRecord.ID: Outcome]
    ) async throws {
        // A new record has no tag and conflicts with a stored one. A new version is created from the stored record, because its
        // tag cannot be set: the record is read, compared here, and compared again by the server.
        let stored = policy.needsStoredRecord(among: records.map(\.1)) ? try await receipts.stored(records.map(\.0)) : [:]
        var versions: [CKRecord] = []
        var commands: [(CKRecord.ID, TelemetryRecord, Stored)] = []
        for (name, record) in records {
            do {
                if let refusal = policy.refusal(of: record, over: stored[name]?.telemetryRecord) { throw refusal }
                if let command = stored[name], command.receipt != nil {
                    commands.append((name, record, command))
                } else {
                    versions.append(try version(of: record, over: stored[name]?.record))
                }
            } catch {
                outcomes[name] = .failure(error)
            }
        }
        if !versions.isEmpty { outcomes.merge(try await requests.store(versions)) { _, new in new } }
        for (name, record) in records where outcomes[name]?.isForbidden ?? false {
            guard record.recordType == TelemetrySchema.commandRecordType, let command = stored[name] else { continue }
            commands.append((name, record, command))
        }
        for (name, record, command) in commands { outcomes[name] = try await receipts.saveReceipt(record, for: command) }
    }

    private func version(of record: TelemetryRecord, over stored: CKRecord?) throws -> CKRecord {
        guard let stored, stored.recordType == record.recordType else { return try CKRecord(filledFrom: record) }
        try stored.fill(from: record)
        return stored
    }
}

extension TelemetrySavePolicy {
    fileprivate var replacesAnything: Bool { if case .overwrite = self { true } else { false } }

    fileprivate func needsStoredRecord(among records: [TelemetryRecord]) -> Bool {
        switch self {
        case .insert: false
        case .ifUnchanged: records.contains { $0.changeTag != nil }
        case .overwrite: true
        }
    }
}

extension CloudKitRequests.Outcome {
    fileprivate var code: TelemetryTransportError.Code? {
        guard case .failure(let error as TelemetryTransportError) = self else { return nil }
        return error.code
    }

    /// Whether the record was changed or removed between reading and saving it.
    fileprivate var wasOvertaken: Bool { code == .conflict || code == .notFound }

    fileprivate var isForbidden: Bool { code == .unauthorized }

    var isConflict: Bool { code == .conflict }

    /// An overwrite does not expect these errors. With many concurrent writers a later attempt may succeed.
    fileprivate var withoutRace: Self {
        guard wasOvertaken else { return self }
        return .failure(
            TelemetryTransportError(code: .unavailable, message: "The record changed at every attempt to overwrite it."))
    }
}
#endif
