import Foundation
import TelemetryModels
import TelemetryTransport

/// Finds records by type, client and status.
struct RecordSelection: Sendable {
    /// The number of records that are read at once.
    private static let step = 16

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

    /// A page of the matching records.
    func page(_ request: RelayRecordPageRequest, _ db: any StorageConnection) throws -> RelayRecordPage {
        var builder = try RecordPageBuilder(query, request)
        while true {
            let (candidates, hasMore) = try candidates(builder, db)
            for start in stride(from: 0, to: candidates.count, by: Self.step) {
                let next = candidates[start..<min(start + Self.step, candidates.count)]
                let statement = "SELECT \(RecordRow.columns), \(RecordRow.size) FROM record WHERE id = $1"
                let rows = try db.rows(next.map { Statement(statement, [.int($0.id)]) })
                for case (let candidate, let row?) in zip(next, rows.map(\.first)) {
                    let size = Int(try row.int(2))
                    guard builder.add(try RecordRow.record(row), size: size, at: candidate.position) else {
                        return builder.page(hasMore: true)
                    }
                }
            }
            guard hasMore else { return builder.page(hasMore: false) }
        }
    }

    /// The next records that may match.
    private func candidates(
        _ builder: RecordPageBuilder, _ db: any StorageConnection
    ) throws -> (candidates: [RecordCandidates.Candidate], hasMore: Bool) {
        if clients == nil, let found = try next(builder, db) { return found }
        var candidates = builder.candidates()
        guard clients != [] else { return candidates.sorted() }
        var statement = Statement("SELECT \(builder.order.columns) FROM record WHERE type_key = ")
        statement.sql += statement.parameter(.bytes(NameKey.data(of: query.recordType)))
        if let clients {
            let keys = clients.map { StorageValue.bytes(NameKey.data(of: $0)) }
            statement.sql += " AND client_key IN (\(statement.parameters(keys)))"
        }
        if let status = Self.status(in: query.conditions) {
            statement.sql += " AND status_key = \(statement.parameter(.bytes(NameKey.data(of: status))))"
        }
        try db.forEachRow(statement.sql, statement.values) { row in
            let position = try builder.order.position(
                name: Array(try row.bytes(1)), stored: try row.optionalBytes(2).map { Array($0) },
                body: try row.optionalBytes(3))
            candidates.consider(try row.int(0), position)
        }
        return candidates.sorted()
    }

    /// The next records of all clients; nil if they have to be sorted.
    private func next(
        _ builder: RecordPageBuilder, _ db: any StorageConnection
    ) throws -> (candidates: [RecordCandidates.Candidate], hasMore: Bool)? {
        guard let statements = builder.statements() else { return nil }
        var found: [RecordCandidates.Candidate] = []
        for statement in statements where found.count < builder.step {
            found += try db.rows(statement).map { row in
                .init(id: try row.int(0), position: .init(value: Array(try row.bytes(1)), name: Array(try row.bytes(2))))
            }
        }
        return (found, found.count >= builder.step)
    }
}
