import Foundation
import GRDB
import TelemetryModels
import TelemetryTransport

/// Finds records by type, client and status.
struct RecordSelection {
    /// The status in a record's body. A statement must contain exactly this text to use ``statusIndex``.
    private static let status = "json_extract(CAST(body AS TEXT), '$.fields.status')"

    /// An index by status. A client queries its pending commands at each notification; without the index, that reads every
    /// command that it ever received.
    ///
    /// The index is of an expression, so that SQLite also maintains it for records that an older relay writes to the same file.
    static let statusIndex = "CREATE INDEX record_by_status ON record (type_key, client_key, \(status));"

    private let query: TelemetryRecordQuery
    /// Nil if the clients do not matter.
    private let clients: Set<String>?

    /// - Parameter clients: limits the result to records whose `clientid` is one of these; nil means no limit.
    init(_ query: TelemetryRecordQuery, of clients: Set<String>?) {
        self.query = query
        self.clients = query.clients(among: clients)
    }

    /// An index with which the order of records is known without reading them.
    static let orderIndex = "CREATE INDEX record_by_order ON record (type_key, client_key, sort_key, name_key);"

    /// A page of the matching records.
    func page(_ request: RelayRecordPageRequest, _ db: Database) throws -> RelayRecordPage {
        var builder = try RecordPageBuilder(query, request)
        while true {
            let (candidates, hasMore) = try candidates(builder, db)
            for candidate in candidates {
                let statement = try db.cachedStatement(
                    sql: "SELECT \(RecordRow.columns), \(RecordRow.size) FROM record WHERE id = ?")
                guard let row = try Row.fetchOne(statement, arguments: [candidate.id]) else { continue }
                let size = try row.decode(Int.self, atIndex: 2)
                guard builder.add(try RecordRow.record(row), size: size, at: candidate.position) else {
                    return builder.page(hasMore: true)
                }
            }
            guard hasMore else { return builder.page(hasMore: false) }
        }
    }

    /// The next records that may match.
    private func candidates(
        _ builder: RecordPageBuilder, _ db: Database
    ) throws -> (candidates: [RecordCandidates.Candidate], hasMore: Bool) {
        if clients == nil, let found = try next(builder, db) { return found }
        var sql = "SELECT \(builder.order.columns) FROM record WHERE type_key = ?"
        var arguments: StatementArguments = [NameKey.data(of: query.recordType)]
        if let clients {
            sql += " AND client_key IN (\(repeatElement("?", count: clients.count).joined(separator: ", ")))"
            arguments += StatementArguments(clients.map(NameKey.data))
        }
        if let status = indexedStatus {
            sql += " AND \(Self.status) = ?"
            arguments += [status]
        }
        var candidates = builder.candidates()
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        while let row = try rows.next() {
            let position = try builder.order.position(
                name: Array(try row.decode(Data.self, atIndex: 1)),
                stored: try row.decode(Data?.self, atIndex: 2).map { Array($0) }, body: try row.decode(Data?.self, atIndex: 3))
            candidates.consider(try row.decode(Int64.self, atIndex: 0), position)
        }
        return candidates.sorted()
    }

    /// The next records of all clients; nil if they have to be sorted.
    private func next(
        _ builder: RecordPageBuilder, _ db: Database
    ) throws -> (candidates: [RecordCandidates.Candidate], hasMore: Bool)? {
        guard let statements = builder.statements({ "X'\(PercentCoding.hexadecimal($0))'" }) else { return nil }
        var found: [RecordCandidates.Candidate] = []
        for sql in statements where found.count < builder.step {
            found += try Row.fetchAll(db, sql: sql).map { row in
                let (value, name) = (try row.decode(Data.self, atIndex: 1), try row.decode(Data.self, atIndex: 2))
                return .init(id: try row.decode(Int64.self, atIndex: 0), position: .init(value: Array(value), name: Array(name)))
            }
        }
        return (found, found.count >= builder.step)
    }

    /// The status that the query requires; nil if comparing bytes, as SQLite does, may miss records with it.
    ///
    /// A query compares strings by canonical equivalence. No other text is equivalent to one of lower-case ASCII letters.
    private var indexedStatus: String? {
        guard let status = query.conditions[TelemetrySchema.CommandField.status.rawValue]?.stringValue,
            status.utf8.allSatisfy((UInt8(ascii: "a")...UInt8(ascii: "z")).contains)
        else { return nil }
        return status
    }
}
