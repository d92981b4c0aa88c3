import Hummingbird

extension RelayRoutes {
    func addEvents(to router: Router<RelayRequestContext>, _ table: RouteTable) {
        add(.post, "/v1/events", to: router, table, roles: Self.writers, appendEvents)
        let filters = EventQuery.filters
        add(
            .get, "/v1/events", to: router, table, roles: Self.allRoles,
            query: filters.union(["after", "limit", "wait", "order"]), readEvents)
        add(.delete, "/v1/events", to: router, table, roles: Self.writers, query: filters.union(["all"]), deleteEvents)
        add(.get, "/v1/events/count", to: router, table, roles: Self.allRoles, query: filters, countEvents)
        add(
            .get, "/v1/events/stream", to: router, table, roles: Self.allRoles, query: filters.union(["after"]), resumes: true,
            streamEvents)
    }

    private func appendEvents(_ asked: Asked) async throws -> Response {
        let body = try await asked.request.jsonBody(limit: limits.bodyBytes)
        let events = try WireEventBatch.read(body, limits: limits)
        if let permitted = asked.caller.permittedClients {
            guard events.allSatisfy({ $0.clientId.map(permitted.contains) ?? false }) else {
                throw Problem.forbidden("A host may append only events of its own clients.")
            }
        }
        let bytes = max(body.count, events.reduce(0) { $0 + $1.json.utf8.count })
        let result =
            events.isEmpty
            ? RelayAppendResult(stored: 0, duplicates: 0)
            : try await writes.run(bytes, for: asked.caller) { try await storage.append(events) }
        metrics.countEvents(stored: result.stored, duplicates: result.duplicates)
        return .object { writer in
            writer.member("stored", result.stored)
            writer.member("duplicates", result.duplicates)
        }
    }

    private func readEvents(_ asked: Asked) async throws -> Response {
        let query = try EventQuery(asked.query, limits: limits)
        let page = try await EventWait(storage: storage, streams: streams, clock: clock).page(
            of: query, asked.caller.narrow(query.filter), asked.caller)
        return .object { writer in
            writer.key("events")
            writer.array(page.events) { event, writer in writer.raw(event.json) }
            writer.member("cursor", page.cursor.rawValue)
            writer.member("hasMore", page.hasMore)
            writer.member("skipped", page.skipped)
        }
    }

    private func countEvents(_ asked: Asked) async throws -> Response {
        let query = try EventQuery(asked.query, limits: limits)
        let count = try await storage.countEvents(matching: asked.caller.narrow(query.filter))
        return .object { $0.member("count", count) }
    }

    private func deleteEvents(_ asked: Asked) async throws -> Response {
        let query = try EventQuery(asked.query, limits: limits)
        guard query.hasFilter || query.isForAll else {
            throw Problem.invalidArgument("Deleting requires a filter or all=true.")
        }
        let deleted = try await writes.run(for: asked.caller) {
            try await storage.deleteEvents(matching: asked.caller.narrow(query.filter))
        }
        return .object { $0.member("deleted", deleted) }
    }

    private func streamEvents(_ asked: Asked) async throws -> Response {
        let query = try EventQuery(asked.query, limits: limits)
        let filter = asked.caller.narrow(query.filter)
        let asksFrom = asked.lastEventID.map { RelayEventCursor(rawValue: $0) } ?? query.after
        // Reports an invalid cursor before the stream begins.
        if let asksFrom { _ = try await storage.events(matching: filter, after: asksFrom, limit: 1, order: .ascending) }
        let start: RelayEventCursor
        if let asksFrom { start = asksFrom } else { start = try await storage.latestEventCursor() }
        return try .events(
            streams, asked.caller, hints: { [storage] in storage.eventHints(of: filter.clients) },
            EventStream(storage: storage, filter: filter, start: start).write)
    }
}
