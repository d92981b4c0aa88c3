#if PostgreSQL
/// A statement and its parameters.
package struct PostgreSQLStatement: Sendable {
    let sql: String
    let values: [PostgreSQLValue]

    package init(_ sql: String, _ values: [PostgreSQLValue] = []) { (self.sql, self.values) = (sql, values) }
}
#endif
