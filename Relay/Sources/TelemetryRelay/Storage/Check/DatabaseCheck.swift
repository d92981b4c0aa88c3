import Foundation
import TelemetryModels
import TelemetryTransport

/// Verifies all tables within one snapshot.
enum DatabaseCheck {
    /// The length of a SHA-256, in bytes.
    private static let hashLength = 32

    /// Verifies the tables if they are of the newest version.
    static func run(_ db: any StorageConnection, version: Int, of newest: Int, _ report: inout RelayCheckReport) {
        switch version {
        case newest: run(db, &report)
        case 0: report.add("there are no tables of a relay")
        default: report.add("the tables are of version \(version): start the relay, which upgrades them, and check again")
        }
    }

    /// Adds what is found to a report. A part that cannot be read is a fault, and does not prevent the others.
    static func run(_ db: any StorageConnection, _ report: inout RelayCheckReport) {
        report.expect("events") { report in
            var check = try EventCheck(db)
            try check.run(&report)
        }
        report.expect("records") { try checkRecords(db, &$0) }
        report.expect("subscriptions") { try checkSubscriptions(db, &$0) }
        report.expect("tokens") { try checkTokens(db, &$0) }
        report.expect("client keys") { try checkClientKeys(db, &$0) }
        report.expect("debug logs") { try checkDebugLogs(db, &$0) }
        report.expect("audit") { try checkAudit(db, &$0) }
        report.expect("webhooks") { try checkWebhooks(db, &$0) }
        report.expect("alerts") { try checkAlerts(db, &$0) }
    }

    /// Calls `body` with each row of a table, in the order of the first column, which names it. A row for which it throws is a fault.
    /// - Returns: the number of rows.
    @discardableResult
    private static func forEachRow(
        of table: String, _ columns: String, _ db: any StorageConnection, _ report: inout RelayCheckReport,
        _ body: (_ place: String, StorageRow, inout RelayCheckReport) throws -> Void
    ) throws -> Int {
        var count = 0
        try db.forEachRow("SELECT \(columns) FROM \(table) ORDER BY 1", []) { row in
            count += 1
            let name =
                switch row.values[0] {
                case .int(let number): "\(number)"
                case .text(let text): "\"\(text)\""
                case .bytes(let key): "\"\(String(decoding: key.prefix(100), as: UTF8.self))\""
                default: "\(count)"
                }
            report.expect("\(table) \(name)") { try body("\(table) \(name)", row, &$0) }
        }
        return count
    }

    private static func checkRecords(_ db: any StorageConnection, _ report: inout RelayCheckReport) throws {
        guard let state = try RelayState.fetch(db) else { throw RelayStorageError.corrupt("relay_state is empty") }
        let columns = "name_key, type_key, client_key, status_key, sort_key, \(RecordRow.columns)"
        let count = try forEachRow(of: "record", columns, db, &report) { place, row, report in
            let record = try RecordRow.record(StorageRow(values: Array(row.values[5...])))
            let keys = RecordKeys(record)
            let isKeyed =
                try row.bytes(0) == keys.name && row.bytes(1) == keys.type && row.optionalBytes(2) == keys.client
                && row.optionalBytes(3) == RecordSelection.status(in: record.record.fields).map(NameKey.data)
                && row.bytes(4) == Data(RecordOrder.storedKey(of: record.record))
            report.expect(isKeyed, "\(place): its keys are not those of its body")
            let tag = record.record.changeTag.flatMap { Int64($0) }
            report.expect(tag.map { $0 < state.nextChange } ?? false, "\(place): its change tag is not that of a change")
        }
        report.note(count, "records")
        var total = Int64.min
        try forEachRow(of: "record_change", "number, total", db, &report) {
            place, row, report in
            report.expect(try row.int(0) < state.nextChange, "\(place): next_change is not after it")
            report.expect(try row.int(1) > total, "\(place): total is not greater than before it")
            total = try row.int(1)
        }
    }

    private static func checkSubscriptions(_ db: any StorageConnection, _ report: inout RelayCheckReport) throws {
        try forEachRow(of: "subscription", "id_key, body", db, &report) { place, row, report in
            let key = try NameKey.data(of: SubscriptionStore.subscription(row, 1).id)
            report.expect(try row.bytes(0) == key, "\(place): its key is not that of its body")
        }
    }

    private static func checkTokens(_ db: any StorageConnection, _ report: inout RelayCheckReport) throws {
        let count = try forEachRow(of: "token", "name, role, hash, name_key, scope", db, &report) { place, row, report in
            let (role, name) = (try row.text(1), String(decoding: try row.bytes(0), as: UTF8.self))
            report.expect(RelayRole(rawValue: role) != nil, "\(place): the role \"\(role)\" is not known")
            report.expect(try row.bytes(2).count == hashLength, "\(place): its hash is not a SHA-256")
            report.expect(try row.bytes(3) == NameKey.data(of: name), "\(place): its key is not that of its name")
            if let scope = try row.optionalBytes(4) { _ = try RelayScope(stored: scope) }
        }
        report.note(count, "tokens")
    }

    private static func checkClientKeys(_ db: any StorageConnection, _ report: inout RelayCheckReport) throws {
        let count = try forEachRow(of: "client_secret", "client_key, hash", db, &report) { place, row, report in
            report.expect(try row.bytes(1).count == hashLength, "\(place): its hash is not a SHA-256")
        }
        report.note(count, "client keys")
    }

    private static func checkWebhooks(_ db: any StorageConnection, _ report: inout RelayCheckReport) throws {
        var numbers: Set<Int64> = []
        let columns = "\(WebhookStore.columns), name_key"
        let count = try forEachRow(of: "webhook", columns, db, &report) { place, row, report in
            numbers.insert(try row.int(0))
            let webhook = try WebhookStore.webhook(row)
            report.expect(try row.bytes(5) == NameKey.data(of: webhook.name), "\(place): its key is not that of its name")
        }
        report.note(count, "webhooks")
        let next = try db.int("SELECT next_delivery FROM alert_state WHERE id = 1")
        report.expect(next != nil, "alert_state: has no row")
        try forEachRow(of: "delivery", "number, webhook", db, &report) { place, row, report in
            report.expect(try row.int(0) < next ?? .max, "\(place): next_delivery is not after it")
            report.expect(numbers.contains(try row.int(1)), "\(place): has no webhook")
        }
    }

    private static func checkAlerts(_ db: any StorageConnection, _ report: inout RelayCheckReport) throws {
        let next = try db.int("SELECT next_event FROM event_state WHERE id = 1") ?? 1
        let columns = "\(AlertStore.columns), name_key, since, recent, fired"
        let count = try forEachRow(of: "alert", columns, db, &report) { place, row, report in
            let alert = try AlertStore.alert(row)
            report.expect(try row.bytes(5) == NameKey.data(of: alert.name), "\(place): its key is not that of its name")
            report.expect(
                try alert.silence != nil || (1...next).contains(row.int(6)), "\(place): since is not the number of an event")
            _ = try AlertWindow(stored: row.bytes(7), fired: row.optionalInt(8))
        }
        report.note(count, "alerts")
        try forEachRow(of: "client_seen", "client_key, seen", db, &report) { _, row, _ in _ = try row.int(1) }
        _ = try ClientSilences.Clock.fetch(db)
        report.expect(
            try AlertState.fetch(db).nextEvent <= next, "alert_state: next_event is after the events, which are not evaluated")
    }

    private static func checkDebugLogs(_ db: any StorageConnection, _ report: inout RelayCheckReport) throws {
        let state = try DebugLogState.fetch(db)
        var bytes: Int64 = 0
        let columns = "number, size, \(DebugLogStore.columns)"
        let count = try forEachRow(of: "debug_log", columns, db, &report) { place, row, report in
            bytes += try row.int(1)
            report.expect(try row.int(0) < state.next, "\(place): next is not after it")
            do {
                _ = try DebugLogStore.entry(StorageRow(values: Array(row.values[2...])))
            } catch {
                throw RelayStorageError.corrupt("an entry cannot be read")
            }
        }
        report.note(count, "debug logs")
        report.expect(state.entries == count, "debug_log_state: counts \(state.entries) entries, but there are \(count)")
        report.expect(state.bytes == bytes, "debug_log_state: bytes is \(state.bytes), but the entries have \(bytes)")
    }

    private static func checkAudit(_ db: any StorageConnection, _ report: inout RelayCheckReport) throws {
        let next = try db.int("SELECT next FROM audit_state WHERE id = 1")
        var expected: Int64?
        let columns = "\(AuditStore.columns), token_key, client_key"
        let count = try forEachRow(of: "audit", columns, db, &report) { place, row, report in
            let number = try row.int(0)
            if let expected {
                report.expect(number == expected, "\(place): the entries before it are missing from \(expected) on")
            }
            expected = number + 1
            let entry = try AuditStore.entry(row).entry
            let isKeyed =
                try row.optionalBytes(9) == entry.actor.token.map(NameKey.data)
                && row.optionalBytes(10) == entry.client.map(NameKey.data)
            report.expect(isKeyed, "\(place): its keys are not those of its token and its client")
        }
        report.note(count, "audit entries")
        report.expect(next != nil, "audit_state: has no row")
        if let next, let expected {
            report.expect(next == expected, "audit_state: next is \(next), but the last entry is \(expected - 1)")
        }
    }
}
