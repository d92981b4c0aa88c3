import HTTPTypes
import Hummingbird
@_spi(Tooling) import TelemetrySystem

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
        let form = try EventForm(ofBody: asked.request)
        let body = try await asked.request.boundedBody(limit: limits.bodyBytes).readableBytesView
        let result = try await bodies.run(body.count, for: asked.caller) {
            let events = try await decoding.run(body.count) {
                switch form {
                case .json: try WireEventBatch.read(body, limits: limits)
                case .lines: try WireEventLines.read(body, limits: limits)
                }
            }
            return try await append(events, of: body.count, for: asked.caller)
        }
        metrics.countEvents(stored: result.stored, duplicates: result.duplicates)
        var response = Response.object { writer in
            writer.member("stored", result.stored)
            writer.member("duplicates", result.duplicates)
        }
        if let name = HTTPField.Name("Accept-Post") { response.headers[name] = EventForm.acceptedTypes }
        return response
    }

    /// - Parameter bytes: the size of the body that contained the events.
    private func append(_ events: [RelayEvent], of bytes: Int, for caller: RelayCaller) async throws -> RelayAppendResult {
        guard !events.isEmpty else { return RelayAppendResult(stored: 0, duplicates: 0) }
        if let permitted = caller.permittedClients {
            guard events.allSatisfy({ $0.clientId.map(permitted.contains) ?? false }) else {
                throw Problem.forbidden("A host may append only events of its own clients.")
            }
        }
        let more = events.reduce(-bytes) { $0 + $1.json.utf8.count }
        guard more > 0 else { return try await storage.append(events) }
        return try await bodies.run(more, for: caller) { try await storage.append(events) }
    }

    private func readEvents(_ asked: Asked) async throws -> Response {
        let query = try EventQuery(asked.query, limits: limits)
        let page = try await EventWait(storage: storage, streams: streams, clock: clock).page(
            of: query, asked.caller.narrow(query.filter), asked.caller)
        var response =
            switch EventForm(acceptedBy: asked.request) {
            case .json: Self.json(page)
            case .lines: try await lines(page)
            }
        response.headers[.vary] = "Accept"
        return response
    }

    private static func json(_ page: RelayEventPage) -> Response {
        .object { writer in
            writer.key("events")
            writer.array(page.events) { event, writer in writer.raw(event.json.utf8) }
            writer.member("cursor", page.cursor.rawValue)
            writer.member("hasMore", page.hasMore)
            writer.member("skipped", page.skipped)
        }
    }

    private func lines(_ page: RelayEventPage) async throws -> Response {
        let lines = try await decoding.run(page.events.reduce(0) { $0 + $1.json.utf8.count }) {
            var writer = WireLineWriter()
            for event in page.events { try writer.append(event.json) }
            return writer.lines
        }
        var headers: HTTPFields = [.contentType: EventForm.linesType]
        let members = [("Cursor", page.cursor.rawValue), ("Has-More", "\(page.hasMore)"), ("Skipped", "\(page.skipped)")]
        for (name, value) in members {
            if let name = HTTPField.Name("Telemetry-\(name)") { headers[name] = value }
        }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: lines))
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
        let deleted = try await bodies.run(for: asked.caller) {
            try await changes.run { try await storage.deleteEvents(matching: asked.caller.narrow(query.filter)) }
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
