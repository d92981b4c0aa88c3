import TelemetryModels
import TelemetryTransport

/// What a host may do with records: its client's own, and of a command no more than to say how it ended.
struct HostRecordRules: Sendable {
    /// The type of rules, which belong to no client and which every host reads.
    static let ruleType = "TelemetryRule"
    /// What a host says of a command's end.
    static let commandFields: Set = ["status", "executedAt", "errorMessage", "result"]
    private static let savedTypes: Set = [
        TelemetrySchema.clientRecordType, TelemetrySchema.scenarioRecordType, TelemetrySchema.commandRecordType,
    ]

    let clients: Set<String>

    func owns(_ record: RelayRecord) -> Bool { record.clientId.map(clients.contains) ?? false }

    func reads(_ record: RelayRecord) -> Bool {
        owns(record) || (record.record.recordType == Self.ruleType && record.clientId == nil)
    }

    /// What is to be stored for a record that a host saves.
    /// - Throws: a 403 that does not tell what is stored.
    func admit(
        _ proposed: RelayRecord, over stored: RelayRecord?, policy: TelemetrySavePolicy
    ) throws -> RelayRecord {
        guard owns(proposed), Self.savedTypes.contains(proposed.record.recordType) else { throw Self.refusal }
        if let stored {
            guard owns(stored), stored.record.recordType == proposed.record.recordType else { throw Self.refusal }
        }
        guard proposed.record.recordType == TelemetrySchema.commandRecordType else { return proposed }
        return try admitCommand(proposed, over: stored, policy: policy)
    }

    private func admitCommand(
        _ proposed: RelayRecord, over stored: RelayRecord?, policy: TelemetrySavePolicy
    ) throws -> RelayRecord {
        if case .ifUnchanged = policy, proposed.record.changeTag != nil, proposed.record.changeTag != stored?.record.changeTag {
            // An outdated copy, which the policy refuses: the host reads the command again.
            return proposed
        }
        guard let stored, Self.unchangeable(proposed) == Self.unchangeable(stored) else { throw Self.refusal }
        var admitted = stored
        for field in Self.commandFields {
            admitted.record[field] = proposed.record[field]
            admitted.dateTexts[field] = proposed.dateTexts[field]
        }
        admitted.record.changeTag = proposed.record.changeTag
        return admitted
    }

    private static func unchangeable(_ record: RelayRecord) -> [String: TelemetryValue] {
        record.record.fields.filter { !commandFields.contains($0.key) }
    }

    private static var refusal: Problem { .forbidden("A host does not save this record.") }
}
