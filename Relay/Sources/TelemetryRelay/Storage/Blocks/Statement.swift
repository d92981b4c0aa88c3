/// An SQL statement and its parameters, built step by step.
struct Statement {
    var sql: String
    private(set) var values: [StorageValue] = []

    init(_ sql: String) { self.sql = sql }

    /// Adds a parameter, which must be used in the SQL before the next one.
    mutating func parameter(_ value: StorageValue) -> String {
        values.append(value)
        return "$\(values.count)"
    }

    mutating func parameters(_ values: some Sequence<StorageValue>) -> String {
        values.map { parameter($0) }.joined(separator: ", ")
    }
}

extension StorageConnection {
    func rows(_ statement: Statement) throws -> [StorageRow] { try rows(statement.sql, statement.values) }
}
