import Foundation
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
