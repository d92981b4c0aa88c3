import Foundation
import Logging
import Synchronization
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// Stores alerts in tables of a database.
final class AlertStore: RelayAlertStorage {
    /// The columns that ``alert(_:)`` expects.
    static let columns = "name, definition, owner, scope, revision"

    private let database: any StorageDatabase
    private let audit: AuditLog
    private let webhooks: WebhookStore
    private let now: @Sendable () -> Date
    private let logger: Logger
    /// The alerts of the last list by their revision, so that they are not parsed again.
    private let known = Mutex<[Int64: RelayAlert]>([:])
    /// Why alerts cannot be read, each of which is logged once.
    private let unreadable = Mutex<Set<String>>([])

    /// - Parameter now: the wall clock.
    init(
        _ database: any StorageDatabase, audit: AuditLog, webhooks: WebhookStore, now: @escaping @Sendable () -> Date,
        logger: Logger
    ) {
        (self.database, self.audit, self.webhooks, self.logger) = (database, audit, webhooks, logger)
        self.now = now
    }

    func all() async throws -> RelayAlertList {
        let (rows, revision) = try await database.read { db in
            (try db.rows("SELECT \(Self.columns) FROM alert"), try AlertState.fetch(db).nextRevision)
        }
        let known = self.known.withLock(\.self)
        let alerts = rows.compactMap { row -> RelayAlert? in
            do {
                return try known[row.int(4)] ?? Self.alert(row)
            } catch {
                if unreadable.withLock({ $0.insert("\(error)").inserted }) {
                    logger.error("an alert cannot be read", metadata: ["error": "\(error)"])
                }
                return nil
            }
        }
        self.known.withLock { $0 = Dictionary(alerts.map { ($0.revision, $0) }) { $1 } }
        return RelayAlertList(alerts: alerts.sorted { $0.name < $1.name }, revision: revision)
    }

    func save(
        _ alert: RelayAlert, by actor: RelayActor, replace: @escaping @Sendable (_ stored: RelayAlert?) throws -> RelayAlert
    ) async throws {
        try await database.write(.alerts) { [audit, now] db in
            let key = StorageValue.bytes(NameKey.data(of: alert.name))
            let row = try db.rows("SELECT \(Self.columns) FROM alert WHERE name_key = $1", [key]).first
            let stored = row.flatMap { try? Self.alert($0) }
            let alert = row == nil ? alert : try replace(stored)
            guard try WebhookStore.number(of: alert.webhook, db) != nil else {
                throw RelayStorageError.refused("There is no webhook \"\(alert.webhook)\".")
            }
            if stored?.isSame(as: alert) != true {
                let gap = RelayClientWatch.maximumInterval
                let time = alert.silence == nil ? nil : try ClientSilences.advanceClock(to: now(), gap: gap, db)
                try Self.replace(row != nil, by: alert, key, silencesSince: time, db)
            }
            try audit.write([RelayAuditEntry(.saveAlert, by: actor, detail: alert.auditDetail)], db)
        }
    }

    /// - Parameter time: from when on silences count; nil if the alert is about events.
    private static func replace(
        _ isStored: Bool, by alert: RelayAlert, _ key: StorageValue, silencesSince time: Int64?, _ db: any StorageConnection
    ) throws {
        let count = try db.int("SELECT COUNT(*) FROM alert") ?? 0
        if !isStored {
            guard count < RelayAlert.maximum else { throw RelayStorageError.refused("There are too many alerts.") }
            let owned = try db.int(
                "SELECT COUNT(*) FROM alert WHERE scope IS NOT NULL AND owner = $1", [.init(alert.owner.map { Data($0.utf8) })])
            guard alert.scope == nil || owned ?? 0 < RelayAlert.maximumOfScope else {
                throw RelayStorageError.refused("A token with a scope has at most \(RelayAlert.maximumOfScope) alerts.")
            }
        }
        let next = try EventState.fetch(db).nextEvent
        // Without alerts, nobody has evaluated the events before it.
        if count == 0 { try db.enqueue("UPDATE alert_state SET next_event = $1 WHERE id = 1", [.int(next)]) }
        let revision = try db.int(
            "UPDATE alert_state SET next_revision = next_revision + 1 WHERE id = 1 RETURNING next_revision - 1")
        var definition = JSONWriter(capacity: 256)
        definition.object(alert.write)
        try db.enqueue("DELETE FROM alert WHERE name_key = $1", [key])
        try db.enqueue(
            "INSERT INTO alert VALUES ($1, $2, $3, $4, $5, $6, $7, $8, NULL)",
            [
                key, .bytes(Data(alert.name.utf8)), .bytes(Data(definition.bytes)), .init(alert.owner.map { Data($0.utf8) }),
                .init(alert.scope.map { Data($0.json) }), .int(revision ?? 0),
                .int(time ?? next), .bytes(AlertWindow().stored),
            ])
    }

    func remove(
        named name: String, by actor: RelayActor, where isAllowed: @escaping @Sendable (RelayAlert?) -> Bool
    ) async throws -> Bool {
        try await database.write(.alerts) { [audit] db in
            let key = StorageValue.bytes(NameKey.data(of: name))
            let row = try db.rows("SELECT \(Self.columns) FROM alert WHERE name_key = $1", [key]).first
            guard let row, isAllowed(try? Self.alert(row)) else { return false }
            try db.enqueue("DELETE FROM alert WHERE name_key = $1", [key])
            try audit.write([RelayAuditEntry(.removeAlert, by: actor, detail: AuditDetail(name).text)], db)
            return true
        }
    }

    func evaluate(_ alerts: [RelayWatchedAlert], of revision: Int64, now: Date) async throws -> RelayAlertEvaluation? {
        guard try await database.isMaintainer() else { return nil }
        return try await database.read { db in
            let (state, next) = (try AlertState.fetch(db), try EventState.fetch(db).nextEvent)
            guard state.nextEvent < next, state.nextRevision == revision else { return nil }
            var reader = try AlertReader(db, alerts, now: now)
            return try reader.evaluate(from: state.nextEvent, before: next, of: revision)
        }
    }

    func commit(_ evaluation: RelayAlertEvaluation, _ messages: [RelayAlertMessage]) async throws -> [RelayUnsentFiring]? {
        try await database.write(.alerts) { [webhooks] db in
            let isFirst =
                try db.execute(
                    "UPDATE alert_state SET next_event = $1 WHERE id = 1 AND next_event = $2 AND next_revision = $3",
                    [
                        .int(evaluation.numbers.upperBound + 1), .int(evaluation.numbers.lowerBound), .int(evaluation.revision),
                    ]) > 0
            guard isFirst else { return nil }
            var current: Set<Int64> = []
            for change in evaluation.changes {
                let count = try db.execute(
                    "UPDATE alert SET recent = $1, fired = $2 WHERE name_key = $3 AND revision = $4",
                    [
                        .bytes(change.window.stored), change.window.fired.map { .int($0) } ?? .null,
                        .bytes(NameKey.data(of: change.alert.name)), .int(change.alert.revision),
                    ])
                if count > 0 { current.insert(change.alert.revision) }
            }
            // Those of an alert that was removed meanwhile are dropped.
            return try messages.filter { current.contains($0.firing.alert.revision) }.compactMap { message in
                try webhooks.add(message, db)
            }
        }
    }

    func watch(
        _ watch: RelayClientWatch, message: @escaping @Sendable (RelayFiring) -> RelayAlertMessage
    ) async throws -> [RelayUnsentFiring] {
        try await database.write(.alerts) { [webhooks, now] db in
            let silences = try ClientSilences(watch, at: now(), db)
            return try silences.fire(watch, db).compactMap { firing in try webhooks.add(message(firing), db) }
        }
    }

    static func alert(_ row: StorageRow) throws -> RelayAlert {
        let name = String(decoding: try row.bytes(0), as: UTF8.self)
        do {
            var alert = try RelayAlert(name: name, body: row.bytes(1))
            alert.owner = try row.optionalBytes(2).map { String(decoding: $0, as: UTF8.self) }
            alert.scope = try row.optionalBytes(3).map(RelayScope.init(stored:))
            alert.revision = try row.int(4)
            return alert
        } catch is Problem {
            throw RelayStorageError.corrupt("the alert \(name) cannot be read")
        }
    }
}

extension WebhookStore {
    /// Adds a delivery of a message, within a transaction.
    /// - Returns: nil, or why it cannot be sent.
    fileprivate func add(_ message: RelayAlertMessage, _ db: any StorageConnection) throws -> RelayUnsentFiring? {
        let alert = message.firing.alert
        do {
            let isAdded = try add(message.body, as: message.identifier, to: alert.webhook, db)
            return isAdded ? nil : RelayUnsentFiring(alert: alert.name, reason: "there is no webhook \(alert.webhook)")
        } catch RelayStorageError.refused(let reason) {
            return RelayUnsentFiring(alert: alert.name, reason: reason)
        }
    }
}

extension RelayAlert {
    fileprivate var auditDetail: String {
        var detail = AuditDetail(name)
        switch condition {
        case .events(let events):
            detail.add("query", events.query.description, maximumValue: 1_000)
            detail.add("count", "\(events.count)")
            detail.add("within", "\(events.within)")
        case .silence(let silence):
            detail.add("silence", "\(silence.seconds)")
            detail.add("clients", silence.clients.text, maximumValue: 1_000)
        }
        detail.add("webhook", webhook)
        detail.add("isEnabled", isEnabled ? nil : "false")
        detail.add("scope", scope?.text)
        return detail.text
    }
}
