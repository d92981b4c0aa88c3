import Hummingbird
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

extension RelayRoutes {
    func addQuery(to router: Router<RelayRequestContext>, _ table: RouteTable) {
        add(.post, "/v1/query", to: router, table, roles: Self.allRoles, answerQuery)
    }

    private func answerQuery(_ asked: Asked) async throws -> Response {
        let body = try await asked.request.jsonBody(limit: limits.bodyBytes)
        let query = try await decoding.run(body.count) { try WireQuery(body) }
        let filter = try await visibility(of: asked.caller).narrow(query.filter)
        var result: RelayQueryResult
        do {
            let byteLimit = asked.caller.role == .host ? limits.hostQueryBytes : .max
            result = try await queries.run(for: asked.caller) { [storage] in
                try await storage.events.result(
                    of: query.query, matching: filter, now: query.now, limit: query.limit + 1, byteLimit: byteLimit)
            }
        } catch let error as TelemetryQueryError {
            throw Problem.tooLarge(error.message)
        }
        let text = query.query == .all ? nil : query.query.description
        try await audit.record(
            .queryEvents, by: asked.caller, client: query.filter.auditClient,
            detail: asked.caller.auditDetail(of: query.filter, query: text))
        let hasMore = result.isCut || max(result.rows.count, result.events.count) > query.limit
        result.rows = Array(result.rows.prefix(query.limit))
        result.events = Array(result.events.prefix(query.limit))
        return try await decoding.run(result.events.isEmpty ? 0 : .max) {
            try .object { writer in try result.write(hasMore: hasMore, to: &writer) }
        }
    }
}

extension RelayQueryResult {
    fileprivate func write(hasMore: Bool, to writer: inout JSONWriter) throws {
        if columns.isEmpty {
            var lines = WireEventWriter()
            writer.key("events")
            try writer.array(events) { event, writer in
                // It has no position.
                let event = RelayStoredEvent(cursor: RelayEventCursor(rawValue: ""), header: event.header, line: event.line)
                try lines.write(event, to: &writer)
            }
        } else {
            writer.key("columns")
            writer.array(columns) { $1.string($0) }
            writer.key("rows")
            writer.array(rows) { row, writer in writer.array(row) { $0.write(to: &$1) } }
        }
        writer.member("matched", matched)
        if hasMore || columns.isEmpty { writer.member("hasMore", hasMore) }
    }
}

extension TelemetryQueryResult.Value {
    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.raw("null".utf8)
        case .string(let text): writer.string(text)
        case .int(let number): writer.number(number)
        case .double(let number) where number.isFinite: writer.number(number)
        case .double(let number): writer.object { $0.member("double", number.description) }
        case .bool(let flag): writer.bool(flag)
        case .date(let date):
            writer.object { writer in
                writer.key("date")
                writer.timestamp(date)
            }
        }
    }
}
