import Foundation

/// The clients of a selection, by the numbers of their rows.
struct SelectedClients {
    /// The maximum number of clients that one statement names. SQLite and PostgreSQL bound its parameters.
    private static let step = 500

    /// Nil if there is no limit: events without a client match, too.
    let numbers: Set<Int64>?

    init(_ selection: EventSelection, _ db: any StorageConnection) throws {
        let patterns = selection.clientPatterns
        if let keys = selection.clients {
            numbers = try Self.numbers(
                of: keys.filter { key in patterns.isEmpty || patterns.contains { $0.matches(key: key) } }, db)
        } else if patterns.isEmpty {
            numbers = nil
        } else {
            numbers = try patterns.reduce(into: []) { try $0.formUnion(Self.numbers(matching: $1, db)) }
        }
    }

    /// Lists of the numbers, each short enough for a statement.
    var groups: [[Int64]] {
        let all = Array(numbers ?? [])
        return stride(from: 0, to: all.count, by: Self.step).map { Array(all[$0..<min($0 + Self.step, all.count)]) }
    }

    private static func numbers(of keys: [Data], _ db: any StorageConnection) throws -> Set<Int64> {
        var numbers: Set<Int64> = []
        for start in stride(from: 0, to: keys.count, by: step) {
            var statement = Statement("SELECT id FROM event_client WHERE client_key IN (")
            let values = keys[start..<min(start + step, keys.count)].map(StorageValue.bytes)
            statement.sql += "\(statement.parameters(values)))"
            for row in try db.rows(statement) { numbers.insert(try row.int(0)) }
        }
        return numbers
    }

    private static func numbers(matching pattern: NamePattern, _ db: any StorageConnection) throws -> Set<Int64> {
        guard pattern.hasStar else { return try numbers(of: [NameKey.data(of: pattern.text)], db) }
        let beginning = Data(pattern.canonical.prefix { $0 != NamePattern.star })
        var statement = Statement("SELECT id, client_key FROM event_client WHERE client_key >= ")
        statement.sql += statement.parameter(.bytes(beginning))
        if !beginning.isEmpty {
            // No key that begins so has this byte after it.
            statement.sql += " AND client_key < \(statement.parameter(.bytes(beginning + Data([0xff]))))"
        }
        var numbers: Set<Int64> = []
        try db.forEachRow(statement.sql, statement.values) { row in
            let key = try row.bytes(1)
            if key != NameKey.none, pattern.matches(key: key) { numbers.insert(try row.int(0)) }
        }
        return numbers
    }
}
