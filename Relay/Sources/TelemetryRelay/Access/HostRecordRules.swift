import TelemetryModels
import TelemetryTransport

/// What a host may do with records: it may change only its own clients' records, and of a command only the fields that report how
/// it ended.
struct HostRecordRules: Sendable {
    /// The record type of rules, which belong to no client and which every host may read.
    static let ruleType = "TelemetryRule"
    /// The fields with which a host reports how a command ended.
    static let commandFields: Set = ["status", "executedAt", "errorMessage", "result"]
    private static let savedTypes: Set = [
        TelemetrySchema.clientRecordType, TelemetrySchema.scenarioRecordType, TelemetrySchema.commandRecordType,
    ]

    let clients: Set<String>

    func owns(_ record: RelayRecord) -> Bool { record.clientId.map(clients.contains) ?? false }

    func reads(_ record: RelayRecord) -> Bool {
        owns(record) || (record.record.recordType == Self.ruleType && record.clientId == nil)
    }

    /// Returns the record to store for a record that a host saves.
    /// - Throws: a 403 that does not reveal what is stored.
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
            // The copy is outdated. The policy refuses it, and the host reads the command again.
            return proposed
        }
        guard let stored, Self.isSame(Self.unchangeable(proposed), Self.unchangeable(stored)) else { throw Self.refusal }
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

    /// Whether fields are equal, also those that are not a number: a command with one would stay pending, and hold up those behind it.
    private static func isSame(_ left: [String: TelemetryValue], _ right: [String: TelemetryValue]) -> Bool {
        guard left.count == right.count else { return false }
        return left.allSatisfy { name, value in
            if case .double(let number) = value, number.isNaN, case .double(let other)? = right[name] { return other.isNaN }
            return value == right[name]
        }
    }

    private static var refusal: Problem { .forbidden("A host may not save this record.") }
}
