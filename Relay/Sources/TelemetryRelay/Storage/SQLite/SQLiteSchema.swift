import GRDB

/// The tables in an SQLite file, as numbered migrations. The debug logs' tables in the same file have their own migrations.
enum SQLiteSchema {
    private static let prefix = "telemetry storage "
    /// Version 1 had events in JSON; earlier ones, with a row for each event, had other prefixes.
    private static let first = 2
    /// The prefix of all versions.
    private static let anyPrefix = "telemetry "
    private static let schema = StorageSchema(bytes: "BLOB", identity: "INTEGER PRIMARY KEY")

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
        let unknown = applied.filter { $0.hasPrefix(anyPrefix) && !known.contains($0) }
        if let version = unknown.first {
            let number = version.hasPrefix(prefix) ? Int(version.dropFirst(prefix.count)) ?? 0 : 0
            throw number > first ? RelayStorageError.newerVersion : .olderVersion
        }
        // Does not write to an up-to-date file, so that it can be read when the disk is full.
        guard !known.isSubset(of: applied) else { return }
        try migrator.migrate(writer)
    }
}
