#if PostgreSQL
import Logging
import PostgreSQLClient

/// Receives the notifications of other relays, over a connection of its own.
struct PostgreSQLListener: Sendable {
    let database: PostgreSQLDatabase
    let events: PostgreSQLEventStore
    let records: PostgreSQLRecordStore
    let tokens: PostgreSQLTokenStore
    /// This relay's identifier, whose notifications are skipped.
    let relay: String
    let logger: Logger

    /// Listens until the task is cancelled. After a lost connection, connects again at the next element of `retries`.
    func run(retries: AsyncStream<Void>) async {
        var retries = retries.makeAsyncIterator()
        while !Task.isCancelled {
            do {
                try await listen()
            } catch {
                guard !Task.isCancelled else { return }
                logger.warning("changes of other relays are read at intervals", metadata: ["error": "\(error)"])
            }
            guard await retries.next() != nil else { return }
        }
    }

    private func listen() async throws {
        let connection = try await database.pool.connect()
        try await connection.run("LISTEN \(database.store.channel)")
        // What happened before, was not notified.
        events.announcer.hintAll()
        records.announcer.hint(nil)
        tokens.announcer.hint(nil)
        while true {
            for payload in try await connection.notifications() { receive(payload) }
        }
    }

    private func receive(_ payload: String) {
        guard let notification = PostgreSQLNotification(payload: payload), notification.relay != relay else { return }
        if let event = notification.event { events.announcer.announce(event, notification.eventClients.names) }
        if let clients = notification.recordClients { records.announcer.hint(clients.names) }
        if notification.hasTokenChanges { tokens.announcer.hint(nil) }
    }
}
#endif
