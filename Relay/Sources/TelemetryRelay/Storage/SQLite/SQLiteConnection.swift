import Foundation
import GRDB

/// SQLite's connection, within a transaction or a snapshot.
struct SQLiteConnection: StorageConnection {
    let database: Database

    func forEachRow(_ sql: String, _ values: [StorageValue], _ body: (StorageRow) throws -> Void) throws {
        let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: StatementArguments(values))
        while let row = try rows.next() { try body(StorageRow(values: row.databaseValues.map(StorageValue.init))) }
    }

    @discardableResult
    func execute(_ sql: String, _ values: [StorageValue]) throws -> Int {
        try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
        return database.changesCount
    }

    func rows(_ statements: [Statement]) throws -> [[StorageRow]] {
        try statements.map { statement in
            var rows: [StorageRow] = []
            try forEachRow(statement.sql, statement.values) { rows.append($0) }
            return rows
        }
    }

    func enqueue(_ sql: String, _ values: [StorageValue]) throws { try execute(sql, values) }
}

extension StorageValue: DatabaseValueConvertible {
    init(_ value: DatabaseValue) {
        self =
            switch value.storage {
            case .null: .null
            case .int64(let number): .int(number)
            case .double(let number): .double(number)
            case .string(let text): .text(text)
            case .blob(let data): .bytes(data)
            }
    }

    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .int(let number): number.databaseValue
        case .double(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let data): data.databaseValue
        }
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> StorageValue? { StorageValue(value) }
}
