/// An SQL statement and its parameters, built step by step.
struct Statement {
    var sql: String
    private(set) var values: [StorageValue] = []

    init(_ sql: String, _ values: [StorageValue] = []) { (self.sql, self.values) = (sql, values) }

    /// Adds a parameter, which must be used in the SQL before the next one.
    mutating func parameter(_ value: StorageValue) -> String {
        values.append(value)
        return "$\(values.count)"
    }

    static func + (statement: Statement, sql: String) -> Statement {
        var result = statement
        result.sql += sql
        return result
    }

    mutating func parameters(_ values: some Sequence<StorageValue>) -> String {
        values.map { parameter($0) }.joined(separator: ", ")
    }
}
