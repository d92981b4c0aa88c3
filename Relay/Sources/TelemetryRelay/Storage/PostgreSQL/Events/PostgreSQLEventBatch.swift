#if PostgreSQL
import Foundation
import PostgreSQLClient
@_spi(Tooling) import TelemetryModels

/// A batch prepared for writing.
struct PostgreSQLEventBatch: Sendable {
    struct Row: Sendable {
        let identity: PostgreSQLKey
        let client: PostgreSQLKey
        let session: PostgreSQLKey
        let name: PostgreSQLKey
        let scenario: PostgreSQLKey?
        let time: RelayTime
        let level: Int16
        let body: [UInt8]
    }

    let rows: [Row]
    /// The size of the bodies in bytes.
    let size: Int
    /// The clients of the events, whose readers are notified.
    let clients: Set<String>

    init(_ events: [RelayEvent]) {
        var clients: Set<String> = []
        // Events of a batch usually share client, session, name and scenario.
        var keys = PostgreSQLKeyCache()
        rows = events.map { event in
            if let client = event.clientId { clients.insert(client) }
            let client = event.clientId.map { keys.key(of: $0) } ?? .none
            return Row(
                identity: PostgreSQLKey(client.bytes + Array(NameKey.data(of: event.eventId)), hashed: ()), client: client,
                session: keys.key(of: event.sessionId), name: keys.key(of: event.name),
                scenario: event.scenario.map { keys.key(of: $0) }, time: event.time,
                level: Int16(event.level.storedNumber), body: Array(event.json.utf8))
        }
        self.clients = clients
        size = rows.reduce(0) { $0 + $1.body.count }
    }
}

/// The keys of the strings of one batch.
struct PostgreSQLKeyCache {
    private var keys: [String: PostgreSQLKey] = [:]

    mutating func key(of text: String) -> PostgreSQLKey {
        if let key = keys[text] { return key }
        let key = PostgreSQLKey(text: text)
        keys[text] = key
        return key
    }
}

extension PostgreSQLKey {
    /// The key of an external text: two strings have the same key if they are equal by Swift's `==`.
    init(text: String) { self.init(Array(NameKey.data(of: text)), hashed: ()) }

    /// The first 128 bits of the SHA-256 of some bytes.
    init(_ bytes: [UInt8], hashed: Void) { self.init(SHA256.digest(of: bytes)) }

    /// The key of an absent text, which equals that of an empty text.
    static let none = PostgreSQLKey(text: "")
}
#endif
