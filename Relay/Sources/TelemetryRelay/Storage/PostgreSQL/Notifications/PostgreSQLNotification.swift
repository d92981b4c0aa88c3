#if PostgreSQL
import Foundation

/// What one relay tells the others after a change, as the payload of a `NOTIFY`.
struct PostgreSQLNotification: Codable, Equatable, Sendable {
    /// The clients that a change affects.
    struct Clients: Codable, Equatable, Sendable {
        /// Nil means all clients.
        var names: Set<String>?

        /// - Returns: nil if both are.
        static func union(_ first: Clients?, _ second: Clients?) -> Clients? {
            guard let first, let second else { return first ?? second }
            return Clients(names: first.names.flatMap { names in second.names.map(names.union) })
        }
    }

    /// The maximum size of a payload in bytes; the server's is 7,999.
    private static let limit = 7_000

    /// The relay that made the change.
    let relay: String
    /// The clients of new events; nil without new events.
    var eventClients: Clients?
    /// The clients of changed records; nil without changed records.
    var recordClients: Clients?
    /// Whether tokens changed.
    var hasTokenChanges = false

    init(relay: String) { self.relay = relay }

    /// The notification with all clients instead of the affected ones.
    var withAllClients: PostgreSQLNotification {
        var result = self
        result.eventClients?.names = nil
        result.recordClients?.names = nil
        return result
    }

    /// Adds the changes of another notification.
    mutating func add(_ other: PostgreSQLNotification) {
        eventClients = Clients.union(eventClients, other.eventClients)
        recordClients = Clients.union(recordClients, other.recordClients)
        hasTokenChanges = hasTokenChanges || other.hasTokenChanges
    }

    /// The text to send. Clients that do not fit are replaced by all clients.
    var payload: String {
        get throws {
            let text = try Self.encode(self)
            guard text.utf8.count > Self.limit else { return text }
            return try Self.encode(withAllClients)
        }
    }

    /// - Returns: nil for a text from another version or program.
    init?(payload: String) {
        guard let notification = try? JSONDecoder().decode(Self.self, from: Data(payload.utf8)) else { return nil }
        self = notification
    }

    private static func encode(_ notification: Self) throws -> String {
        String(decoding: try JSONEncoder().encode(notification), as: UTF8.self)
    }
}
#endif
