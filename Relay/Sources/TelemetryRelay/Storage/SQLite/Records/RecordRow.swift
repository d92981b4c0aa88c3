import Foundation
import GRDB
import TelemetryModels

/// Converts between records and rows.
enum RecordRow {
    static let columns = "body, date_texts"

    static func record(_ row: Row) throws -> RelayRecord {
        let record = try decode(TelemetryRecord.self, try row.decode(Data.self, atIndex: 0))
        let texts = try row.decode(Data?.self, atIndex: 1).map { try decode([String: String].self, $0) }
        return RelayRecord(record, dateTexts: texts ?? [:])
    }

    /// Stores a record, replacing the one with the same name.
    static func store(_ record: RelayRecord, _ keys: RecordKeys, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO record (name_key, type_key, client_key, body, date_texts, sort_key) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (name_key) DO UPDATE SET type_key = excluded.type_key, client_key = excluded.client_key,
                body = excluded.body, date_texts = excluded.date_texts, sort_key = excluded.sort_key
                """
        ).execute(arguments: [
            keys.name, keys.type, keys.client, try encode(record.record),
            record.dateTexts.isEmpty ? nil : try encode(record.dateTexts),
            Data(RecordOrder.storedKey(of: record.record)),
        ])
    }

    /// The size of a row's record, in bytes.
    static let size = "length(body) + COALESCE(length(date_texts), 0)"

    static func usage(of client: String, types: [String], without names: [String], _ db: Database) throws -> RelayRecordUsage {
        func places(_ values: [String]) -> String { repeatElement("?", count: values.count).joined(separator: ", ") }
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT COUNT(*), COALESCE(SUM(\(size)), 0) FROM record
                WHERE client_key = ? AND type_key IN (\(places(types))) AND name_key NOT IN (\(places(names)))
                """, arguments: StatementArguments(([client] + types + names).map(NameKey.data)))
        return RelayRecordUsage(
            count: try row?.decode(Int.self, atIndex: 0) ?? 0, bytes: try row?.decode(Int.self, atIndex: 1) ?? 0)
    }

    static func fetch(named key: Data, _ db: Database) throws -> RelayRecord? {
        try Row.fetchOne(db.cachedStatement(sql: "SELECT \(columns) FROM record WHERE name_key = ?"), arguments: [key])
            .map(record)
    }

    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw RelayStorageError.corrupt("a stored value cannot be read")
        }
    }
}
