import GRDB

/// The tables in an SQLite file, as numbered migrations.
enum SQLiteSchema {
    private static let prefix = "telemetry storage "
    /// Version 5 had tokens without scopes, version 4 no audit, version 3 blocks without words, version 2 debug logs in tables with migrations of their own; those before version 1 had other
    /// prefixes.
    private static let first = 6
    private static let schema = StorageSchema(bytes: "BLOB", text: "TEXT", identity: "INTEGER PRIMARY KEY")

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("\(prefix)\(first)") { try $0.execute(sql: schema.tables) }
        return migrator
    }

    /// - Throws: ``RelayStorageError/newerVersion`` or ``RelayStorageError/olderVersion`` if the file has unknown migrations.
    static func migrate(_ writer: some DatabaseWriter) throws {
        let known = Set(migrator.migrations)
        let applied = try writer.read { db in
            guard try db.tableExists("grdb_migrations") else { return [String]() }
            return try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations")
        }
        let unknown = applied.filter { !known.contains($0) }
        guard unknown.isEmpty else {
            let isNewer = unknown.contains { $0.hasPrefix(prefix) && Int($0.dropFirst(prefix.count)) ?? 0 > first }
            throw isNewer ? RelayStorageError.newerVersion : .olderVersion
        }
        // Does not write to an up-to-date file, so that it can be read when the disk is full.
        guard !known.isSubset(of: applied) else { return }
        try migrator.migrate(writer)
    }
}
