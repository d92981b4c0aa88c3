@_spi(Tooling) import TelemetryModels

extension RelayAuditEntry {
    /// The entry for a record that was saved: its name, and the fields that changed.
    init(saving record: RelayRecord, over stored: RelayRecord?, by actor: RelayActor) {
        var detail = AuditDetail(record.name)
        for (field, value) in Self.changes(record.record.fields, over: stored?.record.fields ?? [:]) { detail.add(field, value) }
        self.init(
            Self.action(saving: record, over: stored), by: actor, client: record.clientId ?? stored?.clientId, detail: detail.text
        )
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
            guard let isEnabled, isEnabled != wasEnabled ?? false else { return .saveClient }
            return isEnabled ? .approveClient : .disapproveClient
        case TelemetrySchema.commandRecordType: return stored == nil ? .createCommand : .changeCommand
        case TelemetrySchema.scenarioRecordType: return .saveScenario
        case HostRecordRules.ruleType: return .saveRule
        default: return .saveRecord
        }
    }

    /// The fields with another value than before, in order; one that was removed is empty.
    private static func changes(
        _ fields: [String: TelemetryValue], over stored: [String: TelemetryValue]
    ) -> [(field: String, value: String)] {
        let clientId = TelemetrySchema.ClientField.clientId.rawValue
        return Set(fields.keys).union(stored.keys).sorted().compactMap { field in
            guard field != clientId, fields[field] != stored[field] else { return nil }
            return (field, fields[field].map(text) ?? "")
        }
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
