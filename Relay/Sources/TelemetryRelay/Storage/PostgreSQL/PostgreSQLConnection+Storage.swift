#if PostgreSQL
import PostgreSQLClient

extension PostgreSQLConnection: StorageConnection {
    func forEachRow(_ sql: String, _ values: [StorageValue], _ body: (StorageRow) throws -> Void) throws {
        try execute(sql, values.map(PostgreSQLValue.init)) { row in
            try body(StorageRow(values: row.map(StorageValue.init)))
        }
    }

    @discardableResult
    func execute(_ sql: String, _ values: [StorageValue]) throws -> Int {
        try execute(sql, values.map(PostgreSQLValue.init))
    }

    func rows(_ statements: [Statement]) throws -> [[StorageRow]] {
        try rows(statements.map(PostgreSQLStatement.init)).map { rows in
            rows.map { StorageRow(values: $0.map(StorageValue.init)) }
        }
    }

    func enqueue(_ sql: String, _ values: [StorageValue]) throws {
        try enqueue(PostgreSQLStatement(sql, values.map(PostgreSQLValue.init)))
    }
}

extension PostgreSQLStatement {
    init(_ statement: Statement) { self.init(statement.sql, statement.values.map(PostgreSQLValue.init)) }
}

extension PostgreSQLValue {
    init(_ value: StorageValue) {
        self =
            switch value {
            case .null: .null
            case .int(let number): .int(number)
            case .double(let number): .double(number)
            case .text(let text): .text(text)
            case .bytes(let data): .bytes(data)
            }
    }
}

extension StorageValue {
    init(_ value: PostgreSQLValue) {
        self =
            switch value {
            case .int(let number): .int(number)
            case .double(let number): .double(number)
            case .text(let text): .text(text)
            case .bytes(let data): .bytes(data)
            // Results have no arrays.
            case .null, .doubles, .byteStrings: .null
            }
    }
}
#endif
