#if PostgreSQL
import PostgreSQLClient
import Synchronization

/// Notifies the other relays of changes that are stored already. Changes during a call are combined into the next one.
///
/// A `NOTIFY` makes commits wait for each other, so it is never part of a transaction that stores something.
final class PostgreSQLNotifier: Sendable {
    /// The minimum time between two notifications, each of which wakes every relay.
    private static let interval: Duration = .milliseconds(10)

    private let database: PostgreSQLDatabase
    private let channel: String
    private let pending = Mutex<PostgreSQLNotification?>(nil)
    private let worker = CoalescedWork()

    init(_ database: PostgreSQLDatabase, channel: String) { (self.database, self.channel) = (database, channel) }

    /// - Parameter clients: nil means all.
    func events(of clients: Set<String>?) { send { $0.eventClients = .init(names: clients) } }

    /// - Parameter clients: nil means all.
    func records(of clients: Set<String>?) { send { $0.recordClients = .init(names: clients) } }

    func tokens() { send { $0.hasTokenChanges = true } }

    /// Returns once the pending notification is sent.
    func close() async { await worker.finish() }

    private func send(_ change: (inout PostgreSQLNotification) -> Void) {
        var notification = PostgreSQLNotification(relay: database.relay)
        change(&notification)
        add(notification)
        worker.start { [weak self] in
            await self?.sendPending()
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func add(_ notification: PostgreSQLNotification) {
        pending.withLock { pending in
            if pending == nil { pending = notification } else { pending?.add(notification) }
        }
    }

    private func sendPending() async {
        let notification = pending.withLock { pending in
            defer { pending = nil }
            return pending
        }
        guard let notification, let payload = try? notification.payload else { return }
        do {
            try await database.write("SELECT pg_notify($1, $2)", [.text(channel), .text(payload)])
        } catch {
            // Sent with the next change. Until then, other relays find the change when they look for changes at their interval.
            add(notification.withAllClients)
        }
    }
}
#endif
