import HTTPTypes
import Hummingbird
import NIOCore
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

extension RelayRoutes {
    func addEvents(to router: Router<RelayRequestContext>, _ table: RouteTable) {
        // A caller could store events with identifiers that the app will use. The app's events, of any scenario, would be lost as duplicates.
        add(.post, "/v1/events", to: router, table, roles: Self.writers, allowsScope: false, appendEvents)
        let filters = EventQuery.filters
        add(
            .get, "/v1/events", to: router, table, roles: Self.allRoles,
            query: filters.union(["after", "limit", "wait", "order"]), readEvents)
        add(.delete, "/v1/events", to: router, table, roles: Self.writers, query: filters.union(["all"]), deleteEvents)
        add(.get, "/v1/events/count", to: router, table, roles: Self.allRoles, query: filters, countEvents)
        add(.get, "/v1/events/scenarios", to: router, table, roles: [.viewer, .reader], allowsScope: false, measureScenarios)
        add(
            .get, "/v1/events/stream", to: router, table, roles: Self.allRoles, query: filters.union(["after"]), resumes: true,
            streamEvents)
    }

    private func appendEvents(_ asked: Asked) async throws -> Response {
        let form = try EventForm(ofBody: asked.request)
        let body = try await asked.request.boundedBody(limit: limits.bodyBytes).readableBytesView
        let result = try await bodies.run(body.count, for: asked.caller) {
            let batch = try await decoding.run(body.count) {
                switch form {
                case .json: try WireEventBatch.read(body, limits: limits)
                case .lines: try WireEventLines.read(body, limits: limits)
                }
            }
            try await visibility(of: asked.caller).admit(batch)
            return try await append(batch, of: body.count, for: asked.caller)
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
    private func append(_ batch: RelayEventBatch, of bytes: Int, for caller: RelayCaller) async throws -> RelayAppendResult {
        guard batch.byteCount > bytes else { return try await storage.events.append(batch) }
        return try await bodies.run(batch.byteCount - bytes, for: caller) { try await storage.events.append(batch) }
    }

    private func readEvents(_ asked: Asked) async throws -> Response {
        let query = try EventQuery(asked.query, limits: limits)
        let hints = try await hints(for: asked, query)
        let page: RelayEventPage = try await wait.page(within: query.wait, for: asked.caller) {
            hints()
        } isEmpty: {
            // Events skipped because of retention end the wait as well.
            $0.events.isEmpty && $0.skipped == 0 && !$0.hasMore
        } read: { last in
            try await storage.events.page(
                matching: visibility(of: asked.caller).narrow(query.filter), after: last?.cursor ?? query.after,
                limit: query.limit, order: query.order)
        }
        try await record(asked.isExport ? .exportEvents : .readEvents, asked, query)
        var response =
            // A header of lines names scenarios and events of the whole block.
            switch asked.caller.scope == nil ? EventForm(acceptedBy: asked.request) : .json {
            case .json: try await json(page)
            case .lines: Self.lines(page)
            }
        response.headers[.vary] = "Accept"
        return response
    }

    private func json(_ page: RelayEventPage) async throws -> Response {
        try await decoding.run(page.byteCount) {
            var events = WireEventWriter()
            return try .object { writer in
                writer.key("events")
                try writer.array(page.events) { event, writer in try events.write(event, to: &writer) }
                writer.member("cursor", page.cursor.rawValue)
                writer.member("hasMore", page.hasMore)
                writer.member("skipped", page.skipped)
            }
        }
    }

    private static func lines(_ page: RelayEventPage) -> Response {
        var lines = ByteBuffer()
        lines.reserveCapacity(page.byteCount)
        var header: [UInt8] = []
        for event in page.events {
            if event.header != header {
                header = event.header
                lines.writeBytes(header)
            }
            lines.writeBytes(event.line)
        }
        var headers: HTTPFields = [.contentType: EventForm.linesType]
        let members = [
            ("Cursor", page.cursor.rawValue), ("Has-More", "\(page.hasMore)"), ("Skipped", "\(page.skipped)"),
            ("Count", "\(page.events.count)"),
        ]
        for (name, value) in members {
            if let name = HTTPField.Name("Telemetry-\(name)") { headers[name] = value }
        }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: lines))
    }

    private func countEvents(_ asked: Asked) async throws -> Response {
        let query = try EventQuery(asked.query, limits: limits)
        let filter = try await visibility(of: asked.caller).narrow(query.filter)
        let count = try await storage.events.count(matching: filter)
        try await record(.countEvents, asked, query)
        return .object { $0.member("count", count) }
    }

    private func measureScenarios(_ asked: Asked) async throws -> Response {
        let (sizes, hasMore) = try await queries.run(for: asked.caller) { [storage] in try await storage.events.scenarioSizes() }
        try await audit.record(.countEvents, by: asked.caller, client: nil, detail: "by=scenario")
        return .object { writer in
            writer.key("scenarios")
            writer.array(sizes) { size, writer in size.write(to: &writer) }
            writer.member("hasMore", hasMore)
        }
    }

    private func deleteEvents(_ asked: Asked) async throws -> Response {
        let query = try EventQuery(asked.query, limits: limits)
        guard query.hasFilter || query.isForAll else {
            throw Problem.invalidArgument("Deleting requires a filter or all=true.")
        }
        let filter = try await visibility(of: asked.caller).narrow(query.filter)
        let recorded = asked.caller.role == .host ? filter : query.filter
        let entry = RelayAuditEntry(
            .deleteEvents, by: asked.caller.actor, client: recorded.auditClient, detail: asked.caller.auditDetail(of: recorded))
        let deleted = try await bodies.run(for: asked.caller) {
            try await changes.run {
                try await storage.events.delete(matching: filter) { [audit] in audit.admitted(entry, of: asked.caller) }
            }
        }
        if deleted == 0 { try await record(.deleteEvents, asked, query) }
        return .object { $0.member("deleted", deleted) }
    }

    private func streamEvents(_ asked: Asked) async throws -> Response {
        let query = try EventQuery(asked.query, limits: limits)
        let filter = try await visibility(of: asked.caller).narrow(query.filter)
        let asksFrom = asked.lastEventID.map { RelayEventCursor(rawValue: $0) } ?? query.after
        // Reports an invalid cursor before the stream begins.
        if let asksFrom { _ = try await storage.events.page(matching: filter, after: asksFrom, limit: 1, order: .ascending) }
        let start: RelayEventCursor
        if let asksFrom { start = asksFrom } else { start = try await storage.events.latestCursor() }
        let stream = EventStream(storage: storage.events, start: start, decoding: decoding) {
            try await visibility(of: asked.caller).narrow(query.filter)
        }
        return try .events(streams, asked.caller, hints: try await hints(for: asked, query)) { session, events in
            try await record(.streamEvents, asked, query)
            do {
                try await stream.write(session, to: &events)
            } catch {
                try await record(.endStream, asked, query)
                throw error
            }
            try await record(.endStream, asked, query)
        }
    }

    /// Hints of the events that may match. Those of a caller with a scope may be of clients that it does not see.
    private func hints(for asked: Asked, _ query: EventQuery) async throws -> @Sendable () -> AsyncStream<Void> {
        var clients = query.filter.clients
        if asked.caller.scope == nil { clients = try await visibility(of: asked.caller).narrow(query.filter).clients }
        return { [storage, clients] in storage.events.hints(of: clients) }
    }

    /// Records a request with a filter, unless it is a host's.
    private func record(_ action: RelayAuditEntry.Action, _ asked: Asked, _ query: EventQuery) async throws {
        try await audit.record(
            action, by: asked.caller, client: query.filter.auditClient, detail: asked.caller.auditDetail(of: query.filter))
    }
}

extension RelayScenarioSize {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.key("scenario")
            if let scenario { writer.string(scenario) } else { writer.raw("null".utf8) }
            writer.member("events", events)
            writer.member("bytes", bytes)
            // An age may reach beyond the times that can be written.
            for (name, date) in [("firstExpires", firstExpires), ("lastExpires", lastExpires)] {
                if let text = TimestampText.string(from: date) { writer.member(name, text) }
            }
        }
    }
}
