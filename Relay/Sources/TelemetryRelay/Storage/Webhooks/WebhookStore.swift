import Foundation
@_spi(Tooling) import TelemetryModels

/// Stores webhooks and deliveries in tables of a database.
final class WebhookStore: RelayWebhookStorage {
    /// The columns of a webhook that ``webhook(_:)`` expects.
    static let columns = "id, name, url, secret, created"
    private static let maximumFailure = 500
    /// For how long a delivery is repeated, in seconds.
    static let maximumAge: TimeInterval = 86_400

    private let database: any StorageDatabase
    private let audit: AuditLog
    private let arrival: ArrivalTime

    /// - Parameter arrival: the clock that deliveries wait by. Setting the clock of the machine does not change it.
    init(_ database: any StorageDatabase, audit: AuditLog, arrival: ArrivalTime) {
        (self.database, self.audit, self.arrival) = (database, audit, arrival)
    }

    func create(_ webhook: RelayWebhook) async throws {
        let key = StorageValue.bytes(NameKey.data(of: webhook.name))
        try await database.write(.alerts) { [audit] db in
            guard try Self.number(of: webhook.name, db) == nil else { throw RelayStorageError.nameInUse(webhook.name) }
            guard try db.int("SELECT COUNT(*) FROM webhook") ?? 0 < RelayWebhook.maximum else {
                throw RelayStorageError.refused("there are \(RelayWebhook.maximum) webhooks already")
            }
            try db.enqueue(
                "INSERT INTO webhook (name_key, name, url, secret, created) VALUES ($1, $2, $3, $4, $5)",
                [
                    key, .bytes(Data(webhook.name.utf8)), .text(webhook.url), .bytes(webhook.secret.key), .init(webhook.created),
                ])
            var detail = AuditDetail(webhook.name)
            // The path of a URL may be secret.
            detail.add("host", URL(string: webhook.url)?.host())
            try audit.write([RelayAuditEntry(.createWebhook, by: .command, detail: detail.text)], db)
        }
    }

    func all() async throws -> [RelayWebhook] {
        try await database.rows("SELECT \(Self.columns) FROM webhook", []).map(Self.webhook).sorted { $0.name < $1.name }
    }

    func remove(named name: String) async throws -> Bool {
        try await database.write(.alerts) { [audit] db in
            guard let webhook = try Self.number(of: name, db) else { return false }
            try db.enqueue("DELETE FROM delivery WHERE webhook = $1", [.int(webhook)])
            try db.enqueue("DELETE FROM webhook WHERE id = $1", [.int(webhook)])
            try audit.write([RelayAuditEntry(.removeWebhook, by: .command, detail: AuditDetail(name).text)], db)
            return true
        }
    }

    func add(_ body: Data, as message: String, to name: String, before limit: Int) async throws -> Bool {
        try await database.write(.alerts) { [self] db in
            try add(body, as: message, to: name, before: limit, db)
        }
    }

    /// As ``add(_:as:to:before:)``, within a transaction.
    func add(
        _ body: Data, as message: String, to name: String, before limit: Int = RelayDelivery.maximumWaiting,
        _ db: any StorageConnection
    ) throws -> Bool {
        guard let webhook = try Self.number(of: name, db) else { return false }
        let waiting = try db.int("SELECT COUNT(*) FROM delivery WHERE webhook = $1", [.int(webhook)]) ?? 0
        guard waiting < limit else { throw RelayStorageError.refused("too many messages wait for the webhook \(name)") }
        let now = try Self.advance(arrival, db)
        let number = try db.int(
            "UPDATE alert_state SET next_delivery = next_delivery + 1 WHERE id = 1 RETURNING next_delivery - 1")
        try db.enqueue(
            "INSERT INTO delivery (number, webhook, message, body, added, attempts, due) VALUES ($1, $2, $3, $4, $5, 0, $5)",
            [.int(number ?? 0), .int(webhook), .text(message), .bytes(body), .double(now)])
        return true
    }

    func take(of webhook: Int64?) async throws -> [RelayDelivery] {
        // Most of the time none waits or is due, and nothing is written.
        let isAnyDue = try await database.read { [arrival] db in
            let now = arrival.next(after: try AlertState.fetch(db).clocks).arrival
            return try !Self.due(now, of: webhook, db).isEmpty
        }
        guard isAnyDue else { return [] }
        return try await database.write(.alerts) { [arrival] db in
            let now = try Self.advance(arrival, db)
            return try Self.due(now, of: webhook, db).compactMap { number in
                let row = try db.rows(
                    """
                    SELECT \(Self.columns), message, body, attempts, added FROM delivery JOIN webhook ON webhook.id = delivery.webhook
                    WHERE number = $1
                    """, [.int(number)]
                ).first
                // A webhook that cannot be read must not stop the others; a check of the database reports it.
                guard let row, let webhook = try? Self.webhook(row) else { return nil }
                try db.enqueue(
                    "UPDATE delivery SET due = $1, attempts = attempts + 1 WHERE number = $2",
                    [.double(now + RelayDelivery.lease), .int(number)])
                return RelayDelivery(
                    webhook: webhook, message: try row.text(5), body: try row.bytes(6),
                    attempts: Int(try row.int(7)) + 1, age: now - (try row.double(8)))
            }
        }
    }

    /// The number of the first delivery of a webhook, or of each, if it is due.
    private static func due(_ now: TimeInterval, of webhook: Int64?, _ db: any StorageConnection) throws -> [Int64] {
        var statement = Statement(
            """
            SELECT delivery.number FROM webhook JOIN delivery
            ON delivery.number = (SELECT MIN(waiting.number) FROM delivery AS waiting WHERE waiting.webhook = webhook.id) WHERE delivery.due <=
            """)
        statement.sql += " \(statement.parameter(.double(now)))"
        if let webhook { statement.sql += " AND webhook.id = \(statement.parameter(.int(webhook)))" }
        return try db.rows(statement).map { try $0.int(0) }
    }

    func complete(_ delivery: RelayDelivery) async throws {
        try await database.write(.alerts) { db in
            try db.enqueue("DELETE FROM delivery WHERE message = $1", [.text(delivery.message)])
        }
    }

    func postpone(_ delivery: RelayDelivery, by delay: TimeInterval, failure: String) async throws {
        let failure = RelayAuditEntry.cut(failure, to: Self.maximumFailure)
        try await database.write(.alerts) { [arrival] db in
            try db.enqueue(
                "UPDATE delivery SET due = $1, failure = $2 WHERE message = $3",
                [
                    .double(try Self.advance(arrival, db) + delay), .bytes(Data(failure.utf8)), .text(delivery.message),
                ])
        }
    }

    func progress(of message: String) async throws -> RelayDeliveryProgress {
        let row = try await database.rows("SELECT failure FROM delivery WHERE message = $1", [.text(message)]).first
        guard let row else { return .ended }
        return .waiting(lastFailure: try row.optionalBytes(0).map { String(decoding: $0, as: UTF8.self) })
    }

    /// The time now, which later calls are not before.
    private static func advance(_ arrival: ArrivalTime, _ db: any StorageConnection) throws -> TimeInterval {
        let clocks = arrival.next(after: try AlertState.fetch(db).clocks)
        try db.enqueue(
            "UPDATE alert_state SET arrival = $1, wall = $2 WHERE id = 1", [.double(clocks.arrival), .double(clocks.wall)])
        return clocks.arrival
    }

    static func number(of name: String, _ db: any StorageConnection) throws -> Int64? {
        try db.int("SELECT id FROM webhook WHERE name_key = $1", [.bytes(NameKey.data(of: name))])
    }

    static func webhook(_ row: StorageRow) throws -> RelayWebhook {
        guard let secret = WebhookSecret(key: try row.bytes(3)) else {
            throw RelayStorageError.corrupt("a webhook has no secret")
        }
        return RelayWebhook(
            number: try row.int(0), name: String(decoding: try row.bytes(1), as: UTF8.self), url: try row.text(2),
            secret: secret, created: try row.date(4) ?? .distantPast)
    }
}
