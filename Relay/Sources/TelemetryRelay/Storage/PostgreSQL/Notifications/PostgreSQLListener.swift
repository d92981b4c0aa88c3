#if PostgreSQL
import Logging
import PostgreSQLClient

/// Receives the notifications of other relays, over a connection of its own.
struct PostgreSQLListener: Sendable {
    let database: PostgreSQLDatabase
    let stores: DatabaseStores
    let channel: String
    /// This relay's identifier, whose notifications are skipped.
    let relay: String
    let configuration: RelayStorageConfiguration

    /// Listens until the task is cancelled. After a lost connection, connects again at intervals.
    func run() async {
        while !Task.isCancelled {
            do {
                try await listen()
            } catch {
                guard !Task.isCancelled else { return }
                configuration.logger.warning("changes of other relays are read at intervals", metadata: ["error": "\(error)"])
            }
            try? await configuration.clock.sleep(for: configuration.pollInterval)
        }
    }

    private func listen() async throws {
        let worker = try await database.pool.connect()
        try await worker.use { [channel] in try $0.run("LISTEN \(channel)") }
        // What happened before, was not notified.
        stores.events.announcer.announceNotified(nil)
        stores.records.announcer.announceNotified(nil)
        stores.tokens.announcer.announceNotified(nil)
        while true {
            for payload in try await worker.use({ try $0.notifications() }) { receive(payload) }
        }
    }

    private func receive(_ payload: String) {
        guard let notification = PostgreSQLNotification(payload: payload), notification.relay != relay else { return }
        if let clients = notification.eventClients { stores.events.announcer.announceNotified(clients.names) }
        if let clients = notification.recordClients { stores.records.announcer.announceNotified(clients.names) }
        if notification.hasTokenChanges { stores.tokens.announcer.announceNotified(nil) }
    }
}
#endif
