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
        if let named = query.conditions[TelemetrySchema.ClientField.clientId.rawValue]?.stringValue {
            self.clients = clients.map { $0.contains(named) ? [named] : [] } ?? [named]
        } else {
            self.clients = clients
        }
    }

    /// Whether no record can match.
    var isEmpty: Bool { clients?.isEmpty ?? false }

    /// The matching records, in the query's order.
    func fetch(_ db: Database) throws -> [RelayRecord] {
        var sql = "SELECT \(RecordRow.columns) FROM record WHERE type_key = ?"
        var arguments: StatementArguments = [NameKey.data(of: query.recordType)]
        if let clients {
            sql += " AND client_key IN (\(repeatElement("?", count: clients.count).joined(separator: ", ")))"
            arguments += StatementArguments(clients.map(NameKey.data))
        }
        if let status = indexedStatus {
            sql += " AND \(Self.status) = ?"
            arguments += [status]
        }
        let found = try Row.fetchAll(db.cachedStatement(sql: sql), arguments: arguments).map(RecordRow.record)
        let texts = Dictionary(found.map { ($0.record.recordID, $0.dateTexts) }) { first, _ in first }
        return query.apply(to: found.map(\.record)).map { RelayRecord($0, dateTexts: texts[$0.recordID] ?? [:]) }
    }

    /// The status that the query requires; nil if comparing bytes, as SQLite does, may miss records with it.
    ///
    /// A query compares texts by canonical equivalence. No other text is equivalent to one of lower-case ASCII letters.
    private var indexedStatus: String? {
        guard let status = query.conditions[TelemetrySchema.CommandField.status.rawValue]?.stringValue,
            status.utf8.allSatisfy((UInt8(ascii: "a")...UInt8(ascii: "z")).contains)
        else { return nil }
        return status
    }
}
