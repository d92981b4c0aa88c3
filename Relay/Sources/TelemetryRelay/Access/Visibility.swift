import Foundation
import TelemetryModels
import TelemetryTransport

/// What a caller sees of events and records, and may change: for every route, stream and notification.
struct Visibility: Sendable {
    private enum Extent: Sendable {
        case everything
        case host(HostRecordRules)
        /// - Parameter clients: those of the scope's apps; nil if it has none.
        case scope(RelayScope, clients: Set<String>?)
    }

    private let extent: Extent
    private let tokenName: String?

    /// - Parameter apps: tells the clients of the caller's apps, if it is limited to some.
    init(of caller: RelayCaller, _ apps: ClientApps) async throws {
        tokenName = caller.tokenName
        if caller.role == .host {
            extent = .host(HostRecordRules(clients: Set(caller.clients)))
        } else if let scope = caller.scope {
            extent = .scope(scope, clients: scope.apps.isEmpty ? nil : try await apps.clients(of: scope.apps))
        } else {
            extent = .everything
        }
    }

    /// The clients of a host; nil for others.
    var hostClients: Set<String>? { if case .host(let rules) = extent { rules.clients } else { nil } }

    // MARK: Events

    /// The filter without the events that the caller does not see.
    func narrow(_ filter: RelayEventFilter) -> RelayEventFilter {
        var filter = filter
        switch extent {
        case .everything: break
        case .host(let rules): filter.clients = filter.clients.map(rules.clients.intersection) ?? rules.clients
        case .scope(let scope, let clients):
            if let clients { filter.clients = filter.clients.map(clients.intersection) ?? clients }
            (filter.clientPatterns, filter.scenarioPatterns) = (scope.clients, scope.scenarios)
        }
        return filter
    }

    /// - Throws: a 403 if the caller would not see one of the events.
    func admit(_ batch: RelayEventBatch) throws {
        switch extent {
        case .everything: break
        case .host(let rules):
            guard !batch.hasEventsWithoutClient, batch.clients.isSubset(of: rules.clients) else {
                throw Problem.forbidden("A host may append only events of its own clients.")
            }
        case .scope(let scope, _):
            let isVisible =
                !(batch.hasEventsWithoutClient && scope.limitsClients) && batch.clients.allSatisfy(sees(client:))
                && (scope.scenarios.isEmpty
                    || batch.events.allSatisfy { event in
                        event.kind.scenario.map { key in scope.scenarios.contains { $0.matches(key: key) } } ?? false
                    })
            guard isVisible else { throw Problem.forbidden("This token may append only events within its scope.") }
        }
    }

    // MARK: Records

    func sees(_ record: RelayRecord) -> Bool {
        switch extent {
        case .everything: true
        case .host(let rules): rules.reads(record)
        case .scope(let scope, _): sees(record, scope)
        }
    }

    /// The clients to whose records a query for records of a type is limited; nil if there is no limit, or too many.
    func clients(ofRecords recordType: String) -> Set<String>? {
        switch extent {
        case .everything: nil
        case .host(let rules): recordType == HostRecordRules.ruleType ? nil : rules.clients
        case .scope(_, let clients): clients.flatMap { $0.count <= Self.selectedClients ? $0 : nil }
        }
    }

    private static let selectedClients = 500

    /// Returns the record to store for one that the caller saves.
    /// - Throws: a 403 that does not reveal what is stored.
    func admit(
        _ proposed: RelayRecord, over stored: RelayRecord?, policy: TelemetrySavePolicy, at date: Date
    ) throws -> RelayRecord {
        switch extent {
        case .everything: break
        case .host(let rules): return try rules.admit(proposed, over: stored, policy: policy).keepingApproval(of: stored)
        case .scope(let scope, _):
            guard sees(proposed), stored.map(sees) ?? true else {
                throw Problem.forbidden("This token may save only records within its scope.")
            }
            guard Self.keepsScope(proposed, over: stored, scope) else {
                throw Problem.forbidden("This token may not create this record, or change what scopes depend on.")
            }
        }
        return proposed.issued(by: tokenName).approved(by: tokenName, at: date, over: stored)
    }

    func mayDelete(_ record: RelayRecord) -> Bool {
        switch extent {
        case .everything: true
        case .host(let rules): rules.owns(record)
        case .scope(let scope, _): sees(record) && (scope.scenarios.isEmpty || !record.isOfClient)
        }
    }

    // MARK: Changes of records

    /// Whether the caller may learn of a change.
    /// - Parameter record: returns the record as it is stored now.
    func sees(_ change: RelayRecordChange, record: () async throws -> RelayRecord?) async throws -> Bool {
        switch extent {
        case .everything: return true
        case .host(let rules): return change.concerns(rules.clients)
        case .scope(let scope, _):
            let clients = [change.clientId, change.previousClientId].compactMap(\.self)
            guard !scope.limitsClients || clients.contains(where: sees(client:)) else { return false }
            if scope.scenarios.isEmpty || change.recordType == TelemetrySchema.clientRecordType { return true }
            // Of a deleted record, the scenario is not known.
            return try await record().map { sees($0, scope) } ?? false
        }
    }

    /// Whether clients left since then that the caller saw.
    func hasLost(since other: Visibility) -> Bool {
        guard case .scope(_, let clients?) = extent, case .scope(_, let before?) = other.extent else { return false }
        return clients != before && !before.isSubset(of: clients)
    }

    // MARK: Scopes

    /// Whether a record that is saved leaves alone what decides on scopes, and the names under which hosts store their own records. With a
    /// limit to scenarios, a client can be approved; more would act on its other scenarios, too.
    private static func keepsScope(_ proposed: RelayRecord, over stored: RelayRecord?, _ scope: RelayScope) -> Bool {
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

    private func sees(client: String) -> Bool {
        guard case .scope(let scope, let clients) = extent else { return true }
        return scope.clients.admits(client) && clients?.contains(client) ?? true
    }

    private func sees(_ record: RelayRecord, _ scope: RelayScope) -> Bool {
        guard !scope.limitsClients || record.clientId.map(sees(client:)) ?? false else { return false }
        switch record.record.recordType {
        case TelemetrySchema.clientRecordType:
            return scope.apps.isEmpty || record.app.map(scope.apps.admits) ?? false
        case TelemetrySchema.commandRecordType where !scope.scenarios.isEmpty:
            // Another action concerns all scenarios, whatever scenario the command names.
            let action = record.text(.action).flatMap(TelemetrySchema.CommandAction.init)
            guard let action, Self.actionsOnScenarios.contains(action) else { return false }
        case HostRecordRules.ruleType where !scope.scenarios.isEmpty:
            // A trigger asks for events of any scenario.
            guard record.record[TelemetrySchema.RuleField.trigger.rawValue] == nil else { return false }
        default: break
        }
        return scope.scenarios.isEmpty || record.text(.scenarioName).map(scope.scenarios.admits) ?? false
    }

    private static let actionsOnScenarios: Set<TelemetrySchema.CommandAction> = [
        .enableScenario, .disableScenario, .resetScenario, .captureScenario,
    ]
}

extension RelayRecord {
    fileprivate var isOfClient: Bool { record.recordType == TelemetrySchema.clientRecordType }

    fileprivate func text(_ field: TelemetrySchema.CommandField) -> String? { record[field.rawValue]?.stringValue }

    private static let issuedTypes: Set = [TelemetrySchema.commandRecordType, HostRecordRules.ruleType]

    /// Returns the record with the token's name as its issuer if its type has one. Overwrites the issuer that the record names.
    fileprivate func issued(by tokenName: String?) -> RelayRecord {
        guard let tokenName, Self.issuedTypes.contains(record.recordType) else { return self }
        var issued = self
        issued.record["issuer"] = .string(tokenName)
        issued.dateTexts["issuer"] = nil
        return issued
    }

    /// Returns the record with who approved the client, if it is a client's. Overwrites what the record names.
    fileprivate func approved(by tokenName: String?, at date: Date, over stored: RelayRecord?) -> RelayRecord {
        guard let tokenName, isApproved, stored?.isApproved != true || stored?.clientId != clientId else {
            return keepingApproval(of: stored)
        }
        return settingApproval(by: .string(tokenName), at: .date(date))
    }

    /// Returns the record with the stored approval, if it is a client's.
    fileprivate func keepingApproval(of stored: RelayRecord?) -> RelayRecord {
        guard record.recordType == TelemetrySchema.clientRecordType else { return self }
        let kept = isApproved ? stored : nil
        let field = TelemetrySchema.ClientField.approved.rawValue
        var admitted = settingApproval(
            by: kept?.record[TelemetrySchema.ClientField.approvedBy.rawValue], at: kept?.record[field])
        admitted.dateTexts[field] = kept?.dateTexts[field]
        return admitted
    }

    private func settingApproval(by name: TelemetryValue?, at date: TelemetryValue?) -> RelayRecord {
        var changed = self
        changed.record[TelemetrySchema.ClientField.approvedBy.rawValue] = name
        changed.record[TelemetrySchema.ClientField.approved.rawValue] = date
        changed.dateTexts[TelemetrySchema.ClientField.approved.rawValue] = nil
        return changed
    }

    private var isApproved: Bool {
        record.recordType == TelemetrySchema.clientRecordType
            && record[TelemetrySchema.ClientField.isEnabled.rawValue]?.boolValue == true
    }
}
