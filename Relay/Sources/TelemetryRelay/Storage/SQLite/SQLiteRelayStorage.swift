public import Foundation
import GRDB

/// Stores everything in an SQLite file or in memory. Several relays may open the same file.
///
/// When a write returns, its data is in the file, even if the process is then killed. Writes of one relay are serialized, and
/// waiting batches of events share a transaction. Readers do not wait.
public final class SQLiteRelayStorage: RelayStorage {
    let database: SQLiteDatabase
    let parts: DatabaseStores
    public var stores: RelayStores { parts.stores }

    /// Opens the file, or creates it with access for its owner only.
    /// - Throws: ``RelayStorageError``, `.corrupt` for a file that is not a database or is damaged, which is not changed; a
    ///   `CocoaError` if the file or its directory cannot be created.
    public convenience init(file: URL, configuration: RelayStorageConfiguration = .init()) throws {
        try self.init(SQLiteDatabase.open(file: file, configuration), configuration)
    }

    /// Creates a storage in memory.
    public convenience init(inMemory configuration: RelayStorageConfiguration = .init()) throws {
        try self.init(SQLiteDatabase.inMemory(), configuration)
    }

    private init(_ database: SQLiteDatabase, _ configuration: RelayStorageConfiguration) throws {
        do {
            self.database = database
            // Does not write to an existing file, so that it can be read when the disk is full.
            let state =
                try database.writer.read { try DatabaseStores.State.fetch(SQLiteConnection(database: $0)) }
                ?? database.writer.write { try DatabaseStores.State.create(SQLiteConnection(database: $0), configuration) }
            parts = DatabaseStores(database, state, configuration)
        } catch {
            throw RelayStorageError.translated(error)
        }
    }

    public func check() async throws { _ = try await database.read(EventState.fetch) }

    public func usage() async throws -> RelayUsage { try await parts.usage() }

    public func expire() async throws { try await parts.expire() }

    public func run() async throws {
        await parts.run([
            .init(failure: "the write-ahead log cannot be shortened") { [database] in try await database.shortenLog() }
        ])
    }

    public func close() async throws {
        await parts.finish()
        // On a full disk the last uses of tokens are lost, and the database is closed anyway.
        try? await parts.tokens.writeUses()
        try await database.close()
    }
}
