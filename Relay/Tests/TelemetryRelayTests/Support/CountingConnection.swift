@testable import TelemetryRelay

/// Counts the statements, and the rows that they read.
final class CountingConnection: StorageConnection {
    private let base: any StorageConnection
    private(set) var statements = 0
    private(set) var rows = 0

    init(base: any StorageConnection) { self.base = base }

    func forEachRow(_ sql: String, _ values: [StorageValue], _ body: (StorageRow) throws -> Void) throws {
        statements += 1
        try base.forEachRow(sql, values) { row in
            rows += 1
            try body(row)
        }
    }

    func execute(_ sql: String, _ values: [StorageValue]) throws -> Int {
        statements += 1
        return try base.execute(sql, values)
    }

    func rows(_ statements: [Statement]) throws -> [[StorageRow]] {
        let rows = try base.rows(statements)
        self.statements += statements.count
        self.rows += rows.reduce(0) { $0 + $1.count }
        return rows
    }

    func enqueue(_ sql: String, _ values: [StorageValue]) throws {
        statements += 1
        try base.enqueue(sql, values)
    }
}
