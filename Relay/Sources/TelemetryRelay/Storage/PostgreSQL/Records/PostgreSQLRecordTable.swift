#if PostgreSQL
import Foundation
import PostgreSQLClient
import TelemetryModels
import TelemetryTransport

/// Some stored records, and the changes to them that a transaction makes.
struct PostgreSQLRecordTable {
    static let columns = "body, date_texts"

    private var records: [Data: RelayRecord] = [:]
    /// The keys of stored records, by name.
    private var keys: [Data: RecordKeys] = [:]
    /// The names of changed records, in the order of their first change.
    private var changed: [Data] = []

    static func fetch(named keys: [Data], _ connection: PostgreSQLConnection) async throws -> PostgreSQLRecordTable {
        let rows = try await connection.execute(
            "SELECT \(columns), name_key FROM record WHERE name_key = ANY($1::bytea[])", [.byteStrings(keys.map { Array($0) })]
        ).rows
        var table = PostgreSQLRecordTable()
        for row in rows { table.records[Data(try row.bytes(2))] = try record(row) }
        return table
    }

    static func record(_ row: PostgreSQLRow) throws -> RelayRecord {
        let record = try RecordRow.decode(TelemetryRecord.self, Data(try row.bytes(0)))
        let texts = try row.optionalBytes(1).map { try RecordRow.decode([String: String].self, Data($0)) }
        return RelayRecord(record, dateTexts: texts ?? [:])
    }

    subscript(key: Data) -> RelayRecord? { records[key] }

    mutating func store(_ record: RelayRecord, _ keys: RecordKeys) {
        self.keys[keys.name] = keys
        change(keys.name, to: record)
    }

    mutating func remove(_ key: Data) { change(key, to: nil) }

    private mutating func change(_ key: Data, to record: RelayRecord?) {
        records[key] = record
        if !changed.contains(key) { changed.append(key) }
    }

    /// Writes the changes.
    func save(_ connection: PostgreSQLConnection) async throws {
        let removed = changed.filter { records[$0] == nil }
        if !removed.isEmpty {
            try await connection.execute(
                "DELETE FROM record WHERE name_key = ANY($1::bytea[])", [.byteStrings(removed.map { Array($0) })])
        }
        let stored = changed.compactMap { name in keys[name].flatMap { keys in records[name].map { (keys: keys, record: $0) } } }
        guard !stored.isEmpty else { return }
        func column(_ value: ((keys: RecordKeys, record: RelayRecord)) throws -> Data?) rethrows -> PostgreSQLValue {
            .byteStrings(try stored.map { try value($0).map { Array($0) } })
        }
        try await connection.execute(
            """
            INSERT INTO record (name_key, type_key, client_key, status_key, body, date_texts, sort_key)
            SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[])
            ON CONFLICT (name_key) DO UPDATE SET type_key = excluded.type_key, client_key = excluded.client_key,
                status_key = excluded.status_key, body = excluded.body, date_texts = excluded.date_texts,
                sort_key = excluded.sort_key
            """,
            [
                column { $0.keys.name }, column { $0.keys.type }, column { $0.keys.client },
                column { PostgreSQLRecordSelection.status(in: $0.record.record.fields).map(NameKey.data) },
                try column { try RecordRow.encode($0.record.record) },
                try column { $0.record.dateTexts.isEmpty ? nil : try RecordRow.encode($0.record.dateTexts) },
                column { Data(RecordOrder.storedKey(of: $0.record.record)) },
            ])
    }

    static func usage(
        of client: String, types: [String], without names: [String], _ connection: PostgreSQLConnection
    ) async throws -> RelayRecordUsage {
        func keys(_ texts: [String]) -> PostgreSQLValue { .byteStrings(texts.map { Array(NameKey.data(of: $0)) }) }
        let row = try await connection.execute(
            """
            SELECT COUNT(*), COALESCE(SUM(\(RecordRow.size)), 0)::bigint FROM record
            WHERE client_key = ANY($1::bytea[]) AND type_key = ANY($2::bytea[]) AND name_key <> ALL($3::bytea[])
            """, [keys([client]), keys(types), keys(names)]
        ).row
        return RelayRecordUsage(count: Int(try row.int(0)), bytes: Int(try row.int(1)))
    }
}
#endif
