import Foundation
import GRDB

/// Runs statements within a transaction or a snapshot. Parameters are written `$1`, `$2` …, in the order of their first use.
struct StorageConnection {
    let database: Database

    /// - Returns: the rows of the result.
    func rows(_ sql: String, _ values: [StorageValue] = []) throws -> [StorageRow] {
        let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: StatementArguments(values))
        var result: [StorageRow] = []
        while let row = try rows.next() { result.append(StorageRow(values: row.databaseValues.map(StorageValue.init))) }
        return result
    }

    /// - Returns: the number of changed rows.
    @discardableResult
    func execute(_ sql: String, _ values: [StorageValue] = []) throws -> Int {
        try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
        return database.changesCount
    }

    /// The first column of the only row.
    func int(_ sql: String, _ values: [StorageValue] = []) throws -> Int64? {
        try rows(sql, values).first?.optionalInt(0)
    }
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
