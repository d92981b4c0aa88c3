#if PostgreSQL
import Foundation
import PostgreSQLClient
import TelemetryModels
import TelemetryTransport

/// Finds records by type, client and status.
struct PostgreSQLRecordSelection: Sendable {
    private let query: TelemetryRecordQuery
    /// Nil if the clients do not matter.
    private let clients: Set<String>?

    /// - Parameter clients: limits the result to records whose `clientid` is one of these; nil means no limit.
    init(_ query: TelemetryRecordQuery, of clients: Set<String>?) {
        self.query = query
        self.clients = query.clients(among: clients)
    }

    /// Whether there are few records: those of some clients, and rules, which every host reads.
    var isSmall: Bool { clients != nil || query.recordType == HostRecordRules.ruleType }

    /// The status among a record's fields or a query's conditions; nil if it has none that is a text.
    static func status(in fields: [String: TelemetryValue]) -> String? {
        fields[TelemetrySchema.CommandField.status.rawValue]?.stringValue
    }

    /// A page of the matching records, of one snapshot.
    func page(
        _ request: RelayRecordPageRequest, _ connection: PostgreSQLConnection
    ) async throws -> RelayRecordPage {
        var builder = try RecordPageBuilder(query, request)
        // A connection whose transaction is not ended is not used again.
        try await connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let hasMore = try await fill(&builder, connection)
        try await connection.run("COMMIT")
        return builder.page(hasMore: hasMore)
    }

    /// - Returns: whether there are more records than the page has room for.
    private func fill(_ builder: inout RecordPageBuilder, _ connection: PostgreSQLConnection) async throws -> Bool {
        while true {
            let (candidates, hasMore) = try await candidates(builder, connection)
            for start in stride(from: 0, to: candidates.count, by: Self.bodies) {
                let next = candidates[start..<min(start + Self.bodies, candidates.count)]
                let rows = try await connection.execute(
                    """
                    SELECT \(PostgreSQLRecordTable.columns), (\(RecordRow.size))::bigint, id FROM record
                    WHERE id = ANY($1::bigint[])
                    """, [.int64s(next.map(\.id))]
                ).rows
                let found = Dictionary(try rows.map { (try $0.int(3), $0) }) { first, _ in first }
                for candidate in next {
                    guard let row = found[candidate.id] else { continue }
                    let size = Int(try row.int(2))
                    guard builder.add(try PostgreSQLRecordTable.record(row), size: size, at: candidate.position) else {
                        return true
                    }
                }
            }
            guard hasMore else { return false }
        }
    }

    /// The next records that may match.
    private func candidates(
        _ builder: RecordPageBuilder, _ connection: PostgreSQLConnection
    ) async throws -> (candidates: [RecordCandidates.Candidate], hasMore: Bool) {
        if clients == nil, let found = try await next(builder, connection) { return found }
        let (sql, values) = statement(builder.order.columns)
        try await connection.execute("DECLARE candidate NO SCROLL CURSOR FOR \(sql)", values)
        var candidates = builder.candidates()
        var isEnd = false
        while !isEnd {
            let rows = try await connection.execute("FETCH \(Self.rows) FROM candidate").rows
            for row in rows {
                let position = try builder.order.position(
                    name: try row.bytes(1), stored: row.optionalBytes(2), body: row.optionalBytes(3).map { Data($0) })
                candidates.consider(try row.int(0), position)
            }
            isEnd = rows.count < Self.rows
        }
        try await connection.run("CLOSE candidate")
        return candidates.sorted()
    }

    /// The next records of all clients; nil if they have to be sorted.
    private func next(
        _ builder: RecordPageBuilder, _ connection: PostgreSQLConnection
    ) async throws -> (candidates: [RecordCandidates.Candidate], hasMore: Bool)? {
        guard let statements = builder.statements({ "'\\x\(PercentCoding.hexadecimal($0))'::bytea" }) else { return nil }
        var found: [RecordCandidates.Candidate] = []
        for sql in statements where found.count < builder.step {
            found += try await connection.execute(sql).rows.map { row in
                .init(id: try row.int(0), position: .init(value: try row.bytes(1), name: try row.bytes(2)))
            }
        }
        return (found, found.count >= builder.step)
    }

    /// The number of rows that are in memory at once. Some may contain a record.
    private static let rows = 100
    /// The number of records that are in memory at once, beside the page.
    private static let bodies = 50

    private func statement(_ columns: String) -> (sql: String, values: [PostgreSQLValue]) {
        var sql = "SELECT \(columns) FROM record WHERE type_key = $1::bytea"
        var values: [PostgreSQLValue] = [.bytes(Array(NameKey.data(of: query.recordType)))]
        if let clients {
            values.append(.byteStrings(clients.map { Array(NameKey.data(of: $0)) }))
            sql += " AND client_key = ANY($\(values.count)::bytea[])"
        }
        if let status = Self.status(in: query.conditions) {
            values.append(.bytes(Array(NameKey.data(of: status))))
            sql += " AND status_key = $\(values.count)::bytea"
        }
        return (sql, values)
    }
}
#endif
