#if PostgreSQL
import Foundation

/// What one relay tells the others after a change, as the payload of a `NOTIFY`.
struct PostgreSQLNotification: Codable, Equatable, Sendable {
    /// The clients that a change affects.
    struct Clients: Codable, Equatable, Sendable {
        /// Nil means all clients.
        var names: Set<String>?

        mutating func add(_ other: Set<String>?) {
            names = names.flatMap { names in other.map(names.union) }
        }
    }

    /// The maximum size of a payload in bytes; the server's is 7,999.
    private static let limit = 7_000

    /// The relay that made the change.
    let relay: String
    /// The number of the newest stored event; nil without new events.
    var event: Int64?
    /// The clients of the new events.
    var eventClients = Clients(names: [])
    /// The clients of changed records; nil without changed records.
    var recordClients: Clients?
    /// Whether tokens changed.
    var hasTokenChanges = false

    init(relay: String) { self.relay = relay }

    /// The notification with all clients instead of the affected ones.
    var withAllClients: PostgreSQLNotification {
        var result = self
        if event != nil { result.eventClients.names = nil }
        result.recordClients?.names = nil
        return result
    }

    /// The notification of the changes of both.
    func adding(_ other: PostgreSQLNotification?) -> PostgreSQLNotification {
        guard let other else { return self }
        var result = self
        result.event = [event, other.event].compactMap(\.self).max()
        result.eventClients.add(other.eventClients.names)
        result.hasTokenChanges = hasTokenChanges || other.hasTokenChanges
        if let clients = other.recordClients {
            if result.recordClients == nil { result.recordClients = clients } else { result.recordClients?.add(clients.names) }
        }
        return result
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
