import Foundation
import TelemetryModels
import TelemetryTransport

/// What a caller sees of events and records, and may change: for every route, stream and notification.
struct Visibility: Sendable {
    private enum Extent: Sendable {
        case everything
        case host(HostRecordRules)
        case scope(ScopeRules)
    }

    private let extent: Extent
    private let tokenName: String?

    /// - Parameter known: has the clients of the caller's apps, if it is limited to some.
    init(of caller: RelayCaller, _ known: KnownClients) async throws {
        tokenName = caller.tokenName
        if caller.role == .host {
            extent = .host(HostRecordRules(clients: Set(caller.clients)))
        } else if let scope = caller.scope {
            let clients = scope.apps.isEmpty ? nil : try await known.clients(of: scope.apps)
            extent = .scope(ScopeRules(scope: scope, clients: clients))
        } else {
            extent = .everything
        }
    }

    /// The clients of a host; nil for others.
    var hostClients: Set<String>? { if case .host(let rules) = extent { rules.clients } else { nil } }

    func sees(client: String) -> Bool {
        switch extent {
        case .everything: true
        case .host(let rules): rules.clients.contains(client)
        case .scope(let rules): rules.sees(client: client)
        }
    }

    // MARK: Events

    /// The filter without the events that the caller does not see.
    func narrow(_ filter: RelayEventFilter) -> RelayEventFilter {
        var filter = filter
        switch extent {
        case .everything: break
        case .host(let rules): filter.clients = filter.clients.map(rules.clients.intersection) ?? rules.clients
        case .scope(let rules):
            if let clients = rules.clients { filter.clients = filter.clients.map(clients.intersection) ?? clients }
            (filter.clientPatterns, filter.scenarioPatterns) = (rules.scope.clients, rules.scope.scenarios)
        }
        return filter
    }

    /// - Throws: a 403 if a host would append events of others.
    func admit(_ batch: RelayEventBatch) throws {
        guard let hostClients else { return }
        guard !batch.hasEventsWithoutClient, batch.clients.isSubset(of: hostClients) else {
            throw Problem.forbidden("A host may append only events of its own clients.")
        }
    }

    // MARK: Records

    func sees(_ record: RelayRecord) -> Bool {
        switch extent {
        case .everything: true
        case .host(let rules): rules.reads(record)
        case .scope(let rules): rules.sees(record)
        }
    }

    /// The clients to whose records a query for records of a type is limited; nil if there is no limit, or too many.
    func clients(ofRecords recordType: String) -> Set<String>? {
        switch extent {
        case .everything: nil
        case .host(let rules): recordType == HostRecordRules.ruleType ? nil : rules.clients
        case .scope(let rules): rules.clients.flatMap { $0.count <= Self.selectedClients ? $0 : nil }
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
        case .scope(let rules): try rules.admit(proposed, over: stored)
        }
        return proposed.issued(by: tokenName).approved(by: tokenName, at: date, over: stored)
    }

    func mayDelete(_ record: RelayRecord) -> Bool {
        switch extent {
        case .everything: true
        case .host(let rules): rules.owns(record)
        case .scope(let rules): rules.mayDelete(record)
        }
    }

    // MARK: Changes of records

    /// Whether the caller may learn of a change.
    /// - Parameter record: returns the record as it is stored now.
    func sees(_ change: RelayRecordChange, record: () async throws -> RelayRecord?) async throws -> Bool {
        switch extent {
        case .everything: return true
        case .host(let rules): return change.concerns(rules.clients)
        case .scope(let rules): return try await rules.sees(change, record: record)
        }
    }

    /// Whether clients left since then that the caller saw.
    func hasLost(since other: Visibility) -> Bool {
        guard case .scope(let rules) = extent, case .scope(let others) = other.extent, let clients = rules.clients,
            let before = others.clients
        else { return false }
        return clients != before && !before.isSubset(of: clients)
    }
}

extension RelayRecord {
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

    var isApproved: Bool {
        record.recordType == TelemetrySchema.clientRecordType
            && record[TelemetrySchema.ClientField.isEnabled.rawValue]?.boolValue == true
    }
}
