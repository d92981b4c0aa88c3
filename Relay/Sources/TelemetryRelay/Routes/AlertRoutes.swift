import Foundation
import Hummingbird
import TelemetryModels
@_spi(Tooling) import TelemetrySystem
import TelemetryTransport

/// `/v1/alerts`.
struct AlertRoutes: Sendable {
    private static let readers: Set<RelayRole> = [.viewer, .reader]

    let storage: any RelayStorage
    let messages: AlertMessages
    let limits: RelayLimits
    let bodies: WaitingBodies
    let decoding: BodyDecoding
    let changes: Turns
    let audit: AuditRecorder

    func add(to routes: RelayRoutes, _ router: Router<RelayRequestContext>, _ table: RouteTable) {
        routes.add(.get, "/v1/alerts", to: router, table, roles: Self.readers, list)
        routes.add(.put, "/v1/alerts/{name}", to: router, table, roles: [.viewer], save)
        routes.add(.delete, "/v1/alerts/{name}", to: router, table, roles: [.viewer], delete)
        routes.add(.post, "/v1/alerts/{name}/test", to: router, table, roles: [.viewer], test)
    }

    private func list(_ asked: RelayRoutes.Asked) async throws -> Response {
        let alerts = try await storage.alerts.all().alerts.filter(asked.caller.sees)
        let webhooks = asked.caller.role == .viewer ? try await storage.webhooks.all().map(\.name) : nil
        return .object { writer in
            if let webhooks {
                writer.key("webhooks")
                writer.array(webhooks) { name, writer in writer.string(name) }
            }
            writer.key("alerts")
            writer.array(alerts) { alert, writer in
                writer.object { writer in
                    writer.member("name", alert.name)
                    alert.write(to: &writer)
                    if let owner = alert.owner { writer.member("owner", owner) }
                }
            }
        }
    }

    private func save(_ asked: RelayRoutes.Asked) async throws -> Response {
        let body = try await asked.request.jsonBody(limit: limits.bodyBytes)
        let (name, caller) = (try asked.name, asked.caller)
        try await bodies.run(body.count, for: caller) {
            var alert = try await decoding.run(body.count) { try RelayAlert(name: name, body: body) }
            (alert.owner, alert.scope) = (caller.tokenName, caller.scope)
            try Self.check(alert)
            try await changes.run { [alert] in try await save(alert, for: caller) }
        }
        return Response(status: .noContent)
    }

    private static func check(_ alert: RelayAlert) throws {
        do {
            try GivenName.check(alert.name, of: "An alert")
        } catch let error as RelayConfigurationError {
            throw Problem.invalidArgument("\(error.description).")
        }
    }

    private func save(_ alert: RelayAlert, for caller: RelayCaller) async throws {
        do {
            try await storage.alerts.save(alert, by: caller.actor) { stored in
                guard caller.sees(stored) else {
                    throw Problem(.conflict, .conflict, "Another token has an alert with this name.")
                }
                guard let stored else { return alert }
                // It still finds no more than the token that made it sees.
                var changed = alert
                (changed.owner, changed.scope) = (stored.owner, stored.scope)
                return changed
            }
        } catch RelayStorageError.refused(let reason) {
            throw Problem.invalidArgument(reason)
        }
    }

    private func delete(_ asked: RelayRoutes.Asked) async throws -> Response {
        let (name, caller) = (try asked.name, asked.caller)
        let isDeleted = try await bodies.run(for: caller) {
            try await changes.run { try await storage.alerts.remove(named: name, by: caller.actor, where: caller.sees) }
        }
        guard isDeleted else { throw Self.unknownAlert }
        return Response(status: .noContent)
    }

    /// Sends a message without events.
    private func test(_ asked: RelayRoutes.Asked) async throws -> Response {
        let parts = asked.request.uri.path.split(separator: "/")
        guard let name = parts.dropLast().last.flatMap({ PercentCoding.decode($0) }),
            let alert = try await storage.alerts.all().alerts.first(where: { $0.name == name }), asked.caller.sees(alert)
        else { throw Self.unknownAlert }
        let isAdded: Bool
        do {
            isAdded = try await bodies.run(for: asked.caller) {
                try await changes.run {
                    try await storage.webhooks.add(
                        messages.test(of: alert, at: Date()), as: AlertMessages.identifier(), to: alert.webhook,
                        before: RelayDelivery.maximumTests)
                }
            }
        } catch RelayStorageError.refused {
            throw Problem.tooLarge("Too many messages wait for this webhook.")
        }
        guard isAdded else { throw Problem.notFound("The webhook of this alert does not exist any more.") }
        try await audit.record(.testAlert, by: asked.caller, client: nil, detail: AuditDetail(alert.name).text)
        return Response(status: .accepted)
    }

    private static var unknownAlert: Problem { .notFound("There is no alert with this name.") }
}

extension RelayCaller {
    /// Whether the caller sees and may change an alert: a token with a scope those that it made.
    /// - Parameter alert: nil for one that cannot be read.
    fileprivate func sees(_ alert: RelayAlert?) -> Bool {
        scope == nil || alert?.scope != nil && alert?.owner.map { Array($0.utf8) } == tokenName.map { Array($0.utf8) }
    }
}
