#if PostgreSQL
import PostgreSQLClient
import Synchronization

/// Notifies the other relays of changes that are stored already. Changes during a call are combined into the next one.
///
/// A `NOTIFY` makes commits wait for each other, so it is never part of a transaction that stores something.
final class PostgreSQLNotifier: Sendable {
    /// Identifies this relay.
    let relay = String(UInt64.random(in: .min ... .max), radix: 36)

    /// The minimum time between two notifications, each of which wakes every relay.
    private static let interval: Duration = .milliseconds(10)

    private let database: PostgreSQLDatabase
    private let pending = Mutex<PostgreSQLNotification?>(nil)
    private let worker = CoalescedWork()

    init(_ database: PostgreSQLDatabase) { self.database = database }

    func events(before number: Int64, of clients: Set<String>) {
        send { notification in
            notification.event = max(number, notification.event ?? number)
            notification.eventClients.add(clients)
        }
    }

    func records(of clients: Set<String>?) {
        send { notification in
            guard notification.recordClients != nil else {
                notification.recordClients = .init(names: clients)
                return
            }
            notification.recordClients?.add(clients)
        }
    }

    func tokens() { send { $0.hasTokenChanges = true } }

    /// Returns once the pending notification is sent.
    func close() async { await worker.finish() }

    private func send(_ change: (inout PostgreSQLNotification) -> Void) {
        pending.withLock { pending in
            var notification = pending ?? PostgreSQLNotification(relay: relay)
            change(&notification)
            pending = notification
        }
        worker.start { [weak self] in
            await self?.sendPending()
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func sendPending() async {
        let notification = pending.withLock { pending in
            defer { pending = nil }
            return pending
        }
        guard let notification, let payload = try? notification.payload else { return }
        do {
            try await database.write(
                "SELECT pg_notify($1::text, $2::text)", [.text(database.store.channel), .text(payload)])
        } catch {
            // Sent with the next change. Until then, other relays find the change when they look for changes at their interval.
            pending.withLock { $0 = notification.withAllClients.adding($0) }
        }
    }
}
#endif
