import TelemetryModels

/// What a token with a scope sees and may change.
struct ScopeRules: Sendable {
    let scope: RelayScope
    /// The clients of the scope's apps; nil if it is not limited to apps.
    let clients: Set<String>?

    func sees(client: String) -> Bool { scope.clients.admits(client) && clients?.contains(client) ?? true }

    func sees(_ record: RelayRecord) -> Bool {
        guard !scope.limitsClients || record.clientId.map(sees(client:)) ?? false else { return false }
        switch record.record.recordType {
        case TelemetrySchema.clientRecordType: return scope.apps.isEmpty || record.app.map(scope.apps.admits) ?? false
        case _ where scope.scenarios.isEmpty: return true
        case TelemetrySchema.commandRecordType:
            guard let action = record.text(.action).flatMap(TelemetrySchema.CommandAction.init) else { return false }
            if action == .enable { return true }
            // Another action concerns all scenarios, whatever scenario the command names.
            guard Self.actionsOnScenarios.contains(action) else { return false }
        case HostRecordRules.ruleType:
            // A trigger asks for events of any scenario.
            guard record.record[TelemetrySchema.RuleField.trigger.rawValue] == nil else { return false }
        default: break
        }
        return record.text(.scenarioName).map(scope.scenarios.admits) ?? false
    }

    private static let actionsOnScenarios: Set<TelemetrySchema.CommandAction> = [
        .enableScenario, .disableScenario, .resetScenario, .captureScenario,
    ]

    /// - Parameter record: returns the record as it is stored now.
    func sees(_ change: RelayRecordChange, record: () async throws -> RelayRecord?) async throws -> Bool {
        let clients = [change.clientId, change.previousClientId].compactMap(\.self)
        guard !scope.limitsClients || clients.contains(where: sees(client:)) else { return false }
        if scope.scenarios.isEmpty || change.recordType == TelemetrySchema.clientRecordType { return true }
        // Of a deleted record, the scenario is not known.
        return try await record().map(sees) ?? false
    }

    /// - Throws: a 403 that does not reveal what is stored.
    func admit(_ proposed: RelayRecord, over stored: RelayRecord?) throws {
        guard sees(proposed), stored.map(sees) ?? true, keepsScopes(proposed, over: stored) else {
            throw Problem.forbidden(
                "This token may save only records within its scope. It may not create clients, or change what scopes depend on.")
        }
    }

    func mayDelete(_ record: RelayRecord) -> Bool { sees(record) && (scope.scenarios.isEmpty || !record.isOfClient) }

    /// Whether a record that is saved leaves alone what decides on scopes, and the names under which hosts store their own records. With a
    /// limit to scenarios, a client can be approved; more would act on its other scenarios, too.
    private func keepsScopes(_ proposed: RelayRecord, over stored: RelayRecord?) -> Bool {
        guard let stored else {
            return !proposed.isOfClient && !["client-", "scenario-"].contains { proposed.name.utf8.starts(with: $0.utf8) }
        }
        guard proposed.isOfClient || stored.isOfClient else { return true }
        typealias Field = TelemetrySchema.ClientField
        func isKept(_ field: String) -> Bool { proposed.record[field] == stored.record[field] }
        guard proposed.record.recordType == stored.record.recordType else { return false }
        if scope.scenarios.isEmpty { return [Field.clientId, .app, .appVersion].map(\.rawValue).allSatisfy(isKept) }
        return Set(proposed.record.fields.keys).union(stored.record.fields.keys).allSatisfy { field in
            isKept(field) || (field == Field.isEnabled.rawValue && proposed.record[field]?.boolValue == true)
        }
    }
}

extension RelayRecord {
    fileprivate var isOfClient: Bool { record.recordType == TelemetrySchema.clientRecordType }

    fileprivate func text(_ field: TelemetrySchema.CommandField) -> String? { record[field.rawValue]?.stringValue }
}
