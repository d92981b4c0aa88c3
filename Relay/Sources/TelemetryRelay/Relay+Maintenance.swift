public import Foundation

/// Backup, restore and check of a database, which relays may be using.
extension Relay {
    /// Copies an SQLite database as it is now to a new file, with access for its owner only.
    /// - Throws: ``RelayConfigurationError``. Then there is no new file.
    public static func backUp(_ configuration: RelayConfiguration, to file: URL) throws {
        let database = try sqlite(configuration, orElse: "use pg_dump")
        try describing("cannot back up \(configuration.databaseDescription)") { try database.backUp(to: file) }
    }

    /// Replaces the content of an SQLite database by that of a backup, which is verified first. Relays that use the database continue
    /// with the new content.
    /// - Parameter acceptsFaults: whether a backup with faults is restored too.
    /// - Returns: the file with the replaced content, beside the database; nil if there was none.
    /// - Throws: ``RelayConfigurationError``. Then the database was not changed.
    public static func restore(
        _ backup: URL, to configuration: RelayConfiguration, acceptsFaults: Bool = false
    ) throws -> URL? {
        let database = try sqlite(configuration, orElse: "use pg_restore")
        var settings = RelayStorageConfiguration()
        settings.auditAge = configuration.auditAge
        let time = settings.now().formatted(.iso8601.timeSeparator(.omitted).dateSeparator(.omitted))
        let kept = URL(filePath: "\(database.url.path).before-\(time)")
        return try describing("cannot restore \(configuration.databaseDescription)") {
            let isKept = try database.restore(
                from: SQLiteFile(url: backup), keeping: kept, acceptsFaults: acceptsFaults, settings)
            return isKept ? kept : nil
        }
    }

    /// Verifies a database in one snapshot. Writes nothing.
    /// - Throws: ``RelayConfigurationError`` if the database cannot be opened, or is of another version.
    public static func check(_ configuration: RelayConfiguration) async throws -> RelayCheckReport {
        let failure = "cannot check \(configuration.databaseDescription)"
        #if PostgreSQL
        if let server = configuration.server {
            do {
                return try await PostgreSQLDatabase.check(server.text)
            } catch {
                throw RelayConfigurationError("\(failure): \(error)")
            }
        }
        #endif
        let database = try sqlite(configuration, orElse: "")
        return try describing(failure) { try database.check() }
    }

    /// - Parameter alternative: what to use for PostgreSQL.
    private static func sqlite(_ configuration: RelayConfiguration, orElse alternative: String) throws -> SQLiteFile {
        if let server = configuration.server {
            throw RelayConfigurationError("\(server) is a PostgreSQL database: \(alternative); see \"Run a relay\"")
        }
        guard let file = configuration.database else {
            throw RelayConfigurationError("a database in memory cannot be used by another process; use --database")
        }
        return SQLiteFile(url: file)
    }

    private static func describing<Value>(_ failure: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw RelayConfigurationError("\(failure): \(RelayStorageError.translated(error))")
        }
    }
}
