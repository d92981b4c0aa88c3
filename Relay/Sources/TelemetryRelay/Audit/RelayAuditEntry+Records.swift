@_spi(Tooling) import TelemetryModels

extension RelayAuditEntry {
    /// The entries for a record that was saved, with its name and the fields that changed: one, and another one for the client that it
    /// belonged to before.
    static func saving(_ record: RelayRecord, over stored: RelayRecord?, by actor: RelayActor) -> [RelayAuditEntry] {
        var detail = AuditDetail(record.name)
        let action = action(saving: record, over: stored)
        let type = record.record.recordType
        if action == .saveRecord || type != stored?.record.recordType ?? type { detail.add("recordType", type) }
        for (field, value) in changes(record, over: stored) { detail.add(field, value) }
        let clients = [record.clientId] + (stored.map { $0.clientId == record.clientId ? [] : [$0.clientId] } ?? [])
        return clients.map { RelayAuditEntry(action, by: actor, client: $0, detail: detail.text) }
    }

    /// The entry for a record that was deleted: its type and name.
    init(deleting record: RelayRecord, by actor: RelayActor) {
        var detail = AuditDetail(record.name)
        detail.add("recordType", record.record.recordType)
        self.init(.deleteRecord, by: actor, client: record.clientId, detail: detail.text)
    }

    private static func action(saving record: RelayRecord, over stored: RelayRecord?) -> Action {
        switch record.record.recordType {
        case TelemetrySchema.clientRecordType:
            let field = TelemetrySchema.ClientField.isEnabled.rawValue
            let (isEnabled, wasEnabled) = (record.record[field]?.boolValue, stored?.record[field]?.boolValue)
            guard isEnabled ?? false != wasEnabled ?? false else { return .saveClient }
            return isEnabled ?? false ? .approveClient : .disapproveClient
        case TelemetrySchema.commandRecordType: return stored == nil ? .createCommand : .changeCommand
        case TelemetrySchema.scenarioRecordType: return .saveScenario
        case HostRecordRules.ruleType: return .saveRule
        default: return .saveRecord
        }
    }

    /// The fields with another value than before, those of the schema first; one that was removed is empty. The client of a new record is
    /// that of the entry; an approval has the entry's token and time.
    private static func changes(_ record: RelayRecord, over stored: RelayRecord?) -> [(field: String, value: String)] {
        let (fields, old) = (record.record.fields, stored?.record.fields ?? [:])
        let clientId = TelemetrySchema.ClientField.clientId.rawValue
        return Set(fields.keys).union(old.keys).sorted { (isOther($0), $0) < (isOther($1), $1) }.compactMap { field in
            guard fields[field] != old[field], stored != nil || field != clientId, !approval.contains(field) else { return nil }
            return (field, fields[field].map(text) ?? "")
        }
    }

    private static let approval: Set = [
        TelemetrySchema.ClientField.approvedBy.rawValue, TelemetrySchema.ClientField.approved.rawValue,
    ]

    /// 0 for a field of the schema, 1 for another one.
    private static func isOther(_ field: String) -> Int {
        let isKnown =
            TelemetrySchema.CommandField(rawValue: field) != nil || TelemetrySchema.ClientField(rawValue: field) != nil
            || TelemetrySchema.ScenarioField(rawValue: field) != nil || TelemetrySchema.RuleField(rawValue: field) != nil
        return isKnown ? 0 : 1
    }

    private static func text(_ value: TelemetryValue) -> String {
        switch value {
        case .string(let text): text
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .date(let date): TimestampText.string(nearest: date)
        }
    }
}
