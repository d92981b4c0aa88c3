public import Foundation
@_spi(Tooling) public import TelemetryModels
@_spi(Tooling) import TelemetrySystem
public import TelemetryTransport

extension HTTPTelemetryTransport {
    /// The maximum number of rows or events that a relay returns.
    private static let resultLimit = 10_000

    /// Evaluates a query at the relay, or here if the result is larger than a response or the relay is of an earlier version.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError`` with `.quotaExceeded` if the query exceeds a limit of the language, or takes
    ///   longer than the relay allows.
    public func result(
        of query: TelemetryQuery, matching filter: TelemetryEventFilter, now: Date
    ) async throws -> TelemetryQueryResult {
        let items = try EventQueryItems(filter)
        if items.matchesNothing { return try query.result(over: [], now: now) }
        if filter.query == nil, let result = try await relayResult(of: query, items, now: now, subject(of: filter)) {
            return result
        }
        return try await evaluatedResult(of: query, matching: filter, now: now)
    }

    /// The result as the relay returns it; nil if it returns only a part, or cannot evaluate queries.
    private func relayResult(
        of query: TelemetryQuery, _ filter: EventQueryItems, now: Date, _ subject: RequestSubject
    ) async throws -> TelemetryQueryResult? {
        var body = JSONWriter()
        body.object { body in
            body.member("query", query.description)
            for (name, values) in Dictionary(grouping: filter.items, by: \.name).mapValues({ $0.map(\.value) }) {
                body.key(name)
                if name == "since" || name == "until" {
                    body.string(values[0])
                } else {
                    body.array(values) { $1.string($0) }
                }
            }
            body.key("now")
            body.timestamp(now)
            body.member("limit", Self.resultLimit)
        }
        do {
            let reply = try await client.send(.init(.post, "v1", "query", body: Data(body.bytes), subject: subject))
            guard let (result, hasMore) = Self.result(in: reply) else { throw RelayClient.unexpectedAnswer }
            return hasMore ? nil : result
        } catch let error as TelemetryTransportError where error.code == .notFound {
            return nil
        }
    }

    /// Reads a response of `POST /v1/query`.
    private static func result(in body: Data) -> (result: TelemetryQueryResult, hasMore: Bool)? {
        var result = TelemetryQueryResult()
        var hasMore = false
        var events = WireEventReader()
        let isRead = body.withScanner { scanner in
            scanner.readMembers { key, scanner in
                if key.isIdentical(to: "matched") { return scanner.read(&result.matched) }
                if key.isIdentical(to: "hasMore") { return scanner.read(&hasMore) }
                if key.isIdentical(to: "columns") {
                    return scanner.readArray { scanner in scanner.string().map { result.columns.append($0) } != nil }
                }
                if key.isIdentical(to: "rows") {
                    return scanner.readArray { scanner in
                        var row: [TelemetryQueryResult.Value] = []
                        defer { result.rows.append(row) }
                        return scanner.readArray { scanner in scanner.readResultValue(into: &row) }
                    }
                }
                if key.isIdentical(to: "events") {
                    return scanner.readArray { scanner in events.event(&scanner).map { result.events.append($0) } != nil }
                }
                return scanner.skipValue()
            }
        }
        let isTable = result.rows.allSatisfy { $0.count == result.columns.count }
        return isRead && isTable ? (result, hasMore) : nil
    }
}

extension JSONScanner {
    fileprivate mutating func readResultValue(into row: inout [TelemetryQueryResult.Value]) -> Bool {
        if peek() == UInt8(ascii: "n") {
            row.append(.null)
            return consume(literal: "null")
        }
        guard let value = wireValue() else { return false }
        row.append(TelemetryQueryResult.Value(value))
        return true
    }
}
