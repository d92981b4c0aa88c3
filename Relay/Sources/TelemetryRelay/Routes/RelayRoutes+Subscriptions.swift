import HTTPTypes
import Hummingbird
@_spi(Tooling) import TelemetrySystem
import TelemetryTransport

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
                guard caller.clients.contains(clientId) else { throw Self.refusal }
                owner = "client:\(caller.clients.first { $0 == clientId } ?? clientId)"
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
