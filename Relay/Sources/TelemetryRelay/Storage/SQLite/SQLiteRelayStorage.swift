public import Foundation
import GRDB
import ServiceLifecycle

/// Stores everything in an SQLite file or in memory. Several relays may open the same file.
///
/// When a write returns, its data is in the file, even if the process is then killed. Writes of one relay are serialized, and
/// waiting batches of events share a transaction. Readers do not wait.
public final class SQLiteRelayStorage: ComposedRelayStorage {
    let database: RelayDatabase
    let events: SQLiteEventStore
    private let records: SQLiteRecordStore
    private let tokens: SQLiteTokenStore
    private let configuration: RelayStorageConfiguration
    public let stores: RelayStores

    /// Opens the file, or creates it with access for its owner only.
    /// - Throws: ``RelayStorageError``, `.corrupt` for a file that is not a database or is damaged, which is not changed; a
    ///   `CocoaError` if the file or its directory cannot be created.
    public convenience init(file: URL, configuration: RelayStorageConfiguration = .init()) throws {
        try self.init(RelayDatabase.open(file: file, configuration), configuration)
    }

    /// Creates a storage in memory.
    public convenience init(inMemory configuration: RelayStorageConfiguration = .init()) throws {
        try self.init(RelayDatabase.inMemory(), configuration)
    }

    private init(_ database: RelayDatabase, _ configuration: RelayStorageConfiguration) throws {
        do {
            (self.database, self.configuration) = (database, configuration)
            let wall = configuration.now().timeIntervalSinceReferenceDate
            // Does not write to an existing file, so that it can be read when the disk is full.
            let saved = try database.writer.read(RelayState.savedClock)
            if saved == nil {
                let store = configuration.makeIdentifier()
                try database.writer.write { try RelayState.create($0, store: store, wall: wall) }
            }
            let state = try database.writer.read(RelayState.fetch)
            let clock = ArrivalClock(
                after: saved ?? .init(arrival: wall, wall: wall), wall: wall, age: configuration.events.age,
                uptime: configuration.uptime ?? ArrivalClock.continuous())
            events = SQLiteEventStore(
                database: database, configuration,
                arrival: ArrivalTime(clock: clock, date: configuration.now), next: state.nextEvent)
            records = SQLiteRecordStore(
                database: database, keeping: RecordChangeBounds(configuration), next: state.nextChange)
            tokens = SQLiteTokenStore(database: database, changes: state.tokenChanges)
            stores = RelayStores(
                events: events, records: records, subscriptions: SQLiteSubscriptionStore(database: database), tokens: tokens,
                clientKeys: SQLiteClientKeyStore(database: database))
        } catch {
            throw RelayStorageError.translated(error)
        }
    }

    public func check() async throws { _ = try await database.read(RelayState.fetch) }

    public func usage() async throws -> RelayUsage {
        let (state, records, recordBytes, changeBytes, subscriptionBytes) = try await database.read { db in
            func number(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: sql) ?? 0 }
            return (
                try RelayState.fetch(db), try number("SELECT COUNT(*) FROM record"),
                try number("SELECT SUM(\(RecordRow.size)) FROM record"), try number(RecordChangeBounds.usage),
                try number("SELECT SUM(length(body)) FROM subscription")
            )
        }
        return RelayUsage(
            events: Int(state.events), eventBytes: Int(state.eventBytes), rememberedEvents: Int(state.remembered),
            records: records, recordBytes: recordBytes, recordChangeBytes: changeBytes, subscriptionBytes: subscriptionBytes,
            expired: events.expired)
    }

    public func expire() async throws { try await events.expire() }

    public func run() async throws {
        let uses = StorageSteps.Step(failure: "the tokens' last use cannot be written") { [tokens] in
            try await tokens.writeUses()
        }
        let work = StorageSteps(
            configuration: configuration,
            frequent: [
                .init(failure: "other relays' changes cannot be read") { [self] in try await announce() },
                .init(failure: "the write-ahead log cannot be shortened") { [database] in try await database.shortenLog() },
            ],
            background: [
                .init(failure: "blocks of events cannot be merged") { [events] in
                    try await cancelWhenGracefulShutdown { try await events.merge() }
                }
            ],
            maintenance: [.init(failure: "expired events cannot be deleted") { [events] in try await events.expire() }, uses])
        await work.run()
        await work.attempt(uses)
    }

    /// Announces changes by other relays on the same database.
    private func announce() async throws {
        let state = try await database.read(RelayState.fetch)
        events.announcer.announce(before: state.nextEvent)
        records.announcer.announce(before: state.nextChange)
        tokens.announcer.announce(before: state.tokenChanges)
    }

    public func close() async throws {
        events.announcer.finish()
        records.announcer.finish()
        tokens.announcer.finish()
        // On a full disk the last uses of tokens are lost, and the database is closed anyway.
        try? await tokens.writeUses()
        try await database.close()
    }
}
