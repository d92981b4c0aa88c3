import Foundation
import TelemetryModels

/// Converts between records and rows.
enum RecordRow {
    static let columns = "body, date_texts"

    static func record(_ row: StorageRow) throws -> RelayRecord {
        let record = try decode(TelemetryRecord.self, try row.bytes(0))
        let texts = try row.optionalBytes(1).map { try decode([String: String].self, $0) }
        return RelayRecord(record, dateTexts: texts ?? [:])
    }

    /// Stores a record, replacing the one with the same name.
    static func store(_ record: RelayRecord, _ keys: RecordKeys, _ db: any StorageConnection) throws {
        let status = RecordSelection.status(in: record.record.fields)
        try db.enqueue(
            """
            INSERT INTO record (name_key, type_key, client_key, status_key, body, date_texts, sort_key)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (name_key) DO UPDATE SET type_key = excluded.type_key, client_key = excluded.client_key,
            status_key = excluded.status_key, body = excluded.body, date_texts = excluded.date_texts, sort_key = excluded.sort_key
            """,
            [
                .bytes(keys.name), .bytes(keys.type), .init(keys.client), .init(status.map(NameKey.data)),
                .bytes(try encode(record.record)), .init(record.dateTexts.isEmpty ? nil : try encode(record.dateTexts)),
                .bytes(Data(RecordOrder.storedKey(of: record.record))),
            ])
    }

    /// The size of a row's record, in bytes.
    static let size = "length(body) + COALESCE(length(date_texts), 0)"

    static func usage(
        of client: String, types: [String], without names: [String], _ db: any StorageConnection
    ) throws -> RelayRecordUsage {
        var all = Statement("SELECT COUNT(*), COALESCE(SUM(\(size)), 0) FROM record WHERE client_key = ")
        func keys(_ texts: [String]) -> [StorageValue] { texts.map { .bytes(NameKey.data(of: $0)) } }
        all.sql += "\(all.parameters(keys([client]))) AND type_key IN (\(all.parameters(keys(types))))"
        // Of the same form however many there are, because statements are cached.
        let named = Set(names.map(NameKey.data)).map { name in
            var statement = all
            statement.sql += " AND name_key = \(statement.parameter(.bytes(name)))"
            return statement
        }
        let usages = try db.rows([all] + named).compactMap(\.first).map {
            RelayRecordUsage(count: Int(try $0.int(0)), bytes: Int(try $0.int(1)))
        }
        return usages.dropFirst().reduce(usages[0]) {
            RelayRecordUsage(count: $0.count - $1.count, bytes: $0.bytes - $1.bytes)
        }
    }

    /// A statement for the record of a name's key.
    static let selection = "SELECT \(columns) FROM record WHERE name_key = $1"

    /// The stored ones of some records.
    static func fetch(named keys: [Data], _ db: any StorageConnection) throws -> [Data: RelayRecord] {
        let rows = try db.rows(keys.map { Statement(selection, [.bytes($0)]) })
        return Dictionary(try zip(keys, rows).compactMap { key, rows in try rows.first.map { (key, try record($0)) } }) { $1 }
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
