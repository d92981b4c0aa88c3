import GRDB

/// The tables in an SQLite file, in numbered versions.
enum SQLiteSchema {
    /// A row for each version that the file has had.
    private static let table = "grdb_migrations"
    private static let prefix = "telemetry storage "
    /// Version 5 had tokens without scopes, version 4 no audit, version 3 blocks without words, version 2 debug logs in tables with migrations of their own; those before version 1 had other
    /// prefixes.
    private static let first = 6
    static let schema = StorageSchema(bytes: "BLOB", text: "TEXT", identity: "INTEGER PRIMARY KEY")

    /// The version that this relay reads and writes.
    static var newest: Int { first + schema.upgrades.count }

    /// Creates the tables, or upgrades them, in one transaction. Does not write to an up-to-date file, so that it can be read when the disk
    /// is full.
    /// - Parameter upgrades: those after the first version.
    /// - Throws: ``RelayStorageError/newerVersion`` or ``RelayStorageError/olderVersion`` if the file has another version.
    static func migrate(_ writer: some DatabaseWriter, upgrades: [String] = schema.upgrades) throws {
        let newest = first + upgrades.count
        guard try writer.read({ try version($0, newest: newest) }) != newest else { return }
        try writer.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                // Another relay may have done it.
                let version = try version(db, newest: newest)
                if version == 0 {
                    try db.execute(sql: "CREATE TABLE IF NOT EXISTS \(table) (identifier TEXT NOT NULL PRIMARY KEY)")
                }
                for (number, sql) in zip(first..., [schema.tables] + upgrades) where number > version {
                    try db.execute(sql: sql)
                    try db.execute(sql: "INSERT INTO \(table) VALUES (?)", arguments: ["\(prefix)\(number)"])
                }
                return .commit
            }
        }
    }

    /// Whether the file has tables of a relay, of any version.
    static func exists(_ db: Database) throws -> Bool {
        // GRDB's function of that name remembers what another relay may change.
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?)", arguments: [table]) ?? false
    }

    /// The version of the file; 0 if it has no tables.
    /// - Parameter newest: the newest version that is known.
    /// - Throws: ``RelayStorageError/newerVersion`` or ``RelayStorageError/olderVersion`` if the file has another version.
    static func version(_ db: Database, newest: Int = newest) throws -> Int {
        guard try exists(db) else { return 0 }
        let versions = try String.fetchAll(db, sql: "SELECT identifier FROM \(table)").map { identifier in
            identifier.hasPrefix(prefix) ? Int(identifier.dropFirst(prefix.count)) ?? 0 : 0
        }
        guard versions.allSatisfy({ $0 <= newest }) else { throw RelayStorageError.newerVersion }
        guard versions.allSatisfy({ $0 >= first }) else { throw RelayStorageError.olderVersion }
        return versions.max() ?? 0
    }
}
