import Foundation
import HTTPTypes
import Hummingbird
import TelemetryModels
@_spi(Tooling) import TelemetrySystem
import TelemetryTransport

extension RelayRoutes {
    func addRecords(to router: Router<RelayRequestContext>, _ table: RouteTable) {
        add(.post, "/v1/records", to: router, table, roles: Self.writers, saveRecords)
        add(.post, "/v1/records/query", to: router, table, roles: Self.allRoles, queryRecords)
        add(.post, "/v1/records/delete", to: router, table, roles: Self.writers, deleteRecords)
        add(
            .get, "/v1/records/{recordName}", alsoAt: ["/v1/records/query", "/v1/records/delete"], to: router, table,
            roles: Self.allRoles, readRecord)
    }

    private func saveRecords(_ asked: Asked) async throws -> Response {
        let body = try await asked.request.jsonBody(limit: limits.bodyBytes)
        let (result, count) = try await bodies.run(body.count, for: asked.caller) {
            let (policy, records) = try await decoding.run(body.count) {
                try WireRecordBodies.save(body, limit: limits.saveRecords)
            }
            return (try await changes.run { try await save(records, policy: policy, for: asked) }, records.count)
        }
        if result.failures.isEmpty { return .object { writer in Self.write(result.saved, to: &writer) } }
        throw Self.problem(of: result, among: count)
    }

    private func save(
        _ records: [RelayRecord], policy: TelemetrySavePolicy, for asked: Asked
    ) async throws -> RelaySaveResult {
        guard !records.isEmpty else { return RelaySaveResult(saved: [], failures: []) }
        let visibility = try await visibility(of: asked.caller)
        try await recordLimits.check(records, of: visibility.hostClients, by: asked.caller)
        return try await storage.records.save(records, policy: policy) { saved, stored in
            asked.caller.role == .host ? [] : RelayAuditEntry.saving(saved, over: stored, by: asked.caller.actor)
        } admit: { proposed, stored in
            try visibility.admit(proposed, over: stored, policy: policy, at: Date())
        }
    }

    private func readRecord(_ asked: Asked) async throws -> Response {
        let visibility = try await visibility(of: asked.caller)
        guard let record = try await storage.records.record(named: asked.name), visibility.sees(record) else {
            throw Problem.notFound("No record with this name is stored.")
        }
        return .json(WireRecord.json(record))
    }

    private func queryRecords(_ asked: Asked) async throws -> Response {
        let body = try await asked.request.jsonBody(limit: limits.bodyBytes)
        let page = try await bodies.run(body.count, for: asked.caller) {
            var (query, request) = try await decoding.run(body.count) { try WireRecordBodies.query(body, limits: limits) }
            let visibility = try await visibility(of: asked.caller)
            request.admits = visibility.sees
            return try await storage.records.page(
                matching: query, of: visibility.clients(ofRecords: query.recordType), request)
        }
        return .object { writer in
            Self.write(page.records, to: &writer)
            writer.member("cursor", page.cursor.rawValue)
            writer.member("hasMore", page.hasMore)
        }
    }

    private func deleteRecords(_ asked: Asked) async throws -> Response {
        let body = try await asked.request.jsonBody(limit: limits.bodyBytes)
        let deleted = try await bodies.run(body.count, for: asked.caller) {
            let names = try await decoding.run(body.count) { try WireRecordBodies.delete(body, limit: limits.saveRecords) }
            guard !names.isEmpty else { return 0 }
            return try await changes.run {
                let visibility = try await visibility(of: asked.caller)
                return try await storage.records.delete(named: names) { [audit, caller = asked.caller] record in
                    audit.admitted(RelayAuditEntry(deleting: record, by: caller.actor), of: caller)
                } admit: { record in
                    visibility.mayDelete(record)
                }
            }
        }
        return .object { $0.member("deleted", deleted) }
    }

    private static func write(_ records: [RelayRecord], to writer: inout JSONWriter) {
        writer.key("records")
        writer.array(records) { record, writer in WireRecord.write(record, to: &writer) }
    }

    /// If a single record was saved, its failure; otherwise a partial failure with the saved and the failed records.
    private static func problem(of result: RelaySaveResult, among count: Int) -> Problem {
        if count == 1, let failure = result.failures.first { return problem(of: failure) }
        var problem = Problem(
            .conflict, .partialFailure, "\(result.failures.count) of \(count) records were not saved.")
        var saved = JSONWriter()
        saved.array(result.saved) { record, writer in WireRecord.write(record, to: &writer) }
        var failures = JSONWriter()
        failures.array(result.failures) { failure, writer in
            let problem = Self.problem(of: failure)
            writer.object { writer in
                writer.member("recordName", failure.recordName)
                writer.member("code", "\(problem.code)")
                writer.member("detail", problem.detail)
                for member in problem.members {
                    writer.key(member.name)
                    writer.raw(member.json)
                }
            }
        }
        problem.members = [("saved", saved.bytes), ("failures", failures.bytes)]
        return problem
    }

    private static func problem(of failure: RelaySaveResult.Failure) -> Problem {
        switch failure.refusal {
        case .notFound: return .notFound("The version to replace no longer exists.")
        case .conflict(let stored):
            var problem = Problem(.conflict, .conflict, "Another version of the record is stored.")
            problem.members = [("record", WireRecord.json(stored))]
            return problem
        }
    }
}

extension RelayRoutes {
    func addSubscriptions(to router: Router<RelayRequestContext>, _ table: RouteTable) {
        add(.put, "/v1/subscriptions/{id}", to: router, table, roles: Self.writers, saveSubscription)
        add(.get, "/v1/subscriptions/{id}", to: router, table, roles: Self.allRoles, readSubscription)
        add(.delete, "/v1/subscriptions/{id}", to: router, table, roles: Self.writers, deleteSubscription)
        add(.get, "/v1/notifications", to: router, table, roles: Self.allRoles, resumes: true, streamNotifications)
    }

    private func saveSubscription(_ asked: Asked) async throws -> Response {
        let body = try await asked.request.jsonBody(limit: limits.bodyBytes)
        try await bodies.run(body.count, for: asked.caller) {
            let id = try asked.name
            let subscription = try await decoding.run(body.count) { try WireRecordBodies.subscription(body, id: id) }
            try await changes.run { try await save(subscription, for: asked.caller) }
        }
        return Response(status: .noContent)
    }

    private func save(_ subscription: TelemetrySubscription, for caller: RelayCaller) async throws {
        var owner = caller.subscriptionOwners[0]
        if caller.role == .host {
            if let clientId = subscription.clientId {
                guard let index = caller.clients.firstIndex(of: clientId) else { throw Self.refusal }
                owner = caller.subscriptionOwners[index]
            } else if subscription.recordType != HostRecordRules.ruleType {
                throw Self.refusal
            }
        }
        try await recordLimits.check(subscription, owner: owner, by: caller)
        // A host with several identifiers has one set of subscriptions.
        for other in caller.subscriptionOwners where other != owner {
            try await storage.subscriptions.delete(withID: subscription.id, owner: other)
        }
        try await storage.subscriptions.save(subscription, owner: owner)
    }

    private func readSubscription(_ asked: Asked) async throws -> Response {
        let id = try asked.name
        for owner in asked.caller.subscriptionOwners {
            guard let subscription = try await storage.subscriptions.subscription(withID: id, owner: owner) else { continue }
            return .object { writer in
                writer.member("id", subscription.id)
                writer.member("recordType", subscription.recordType)
                if let clientId = subscription.clientId { writer.member("clientid", clientId) }
            }
        }
        throw Problem.notFound("No subscription with this identifier is stored.")
    }

    private func deleteSubscription(_ asked: Asked) async throws -> Response {
        let id = try asked.name
        try await bodies.run(for: asked.caller) {
            try await changes.run {
                for owner in asked.caller.subscriptionOwners { try await storage.subscriptions.delete(withID: id, owner: owner) }
            }
        }
        return Response(status: .noContent)
    }

    private func streamNotifications(_ asked: Asked) async throws -> Response {
        let newest = try await storage.records.latestChange()
        var resumed: RelayChangePosition?
        // Which clients of its apps the caller saw at that position is not known.
        if let id = asked.lastEventID, asked.caller.scope?.apps.isEmpty ?? true {
            let position = RelayChangePosition(rawValue: id)
            // Resumes only if the relay's change log still includes this position.
            if try await storage.records.changes(after: position, limit: 1) != nil { resumed = position }
        }
        let clients = asked.caller.role == .host ? Set(asked.caller.clients) : nil
        let stream = NotificationStream(storage: storage, owners: asked.caller.notifyingOwners, resumed: resumed, newest: newest)
        {
            try await visibility(of: asked.caller)
        }
        return try .events(
            streams, asked.caller, hints: { [storage] in storage.records.hints(of: clients) }, stream.write)
    }

    private static var refusal: Problem { .forbidden("A host may subscribe only to its own clients' records and to rules.") }
}
