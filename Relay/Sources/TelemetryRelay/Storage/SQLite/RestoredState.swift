import Foundation

/// What a restored database has in place of the backup's state.
struct RestoredState {
    /// The state of the database that is replaced; nil if there is none or it cannot be read.
    private let present: DatabaseStores.State?
    private let configuration: RelayStorageConfiguration

    init(_ present: DatabaseStores.State?, _ configuration: RelayStorageConfiguration) {
        (self.present, self.configuration) = (present, configuration)
    }

    /// Every number but the audit's becomes greater than it ever was in either database: no position, change tag or block identifier from
    /// before the restore has another meaning after it, and relays that look for greater numbers find them. The audit's have no gaps.
    /// - Parameter name: the backup's.
    func write(to db: any StorageConnection, from name: String) throws {
        guard let state = try DatabaseStores.State.fetch(db) else { throw RelayStorageError.corrupt("relay_state is empty") }
        // Numbers that cannot be read are hardly as much greater than the backup's.
        let step: Int64 = present == nil ? 1 << 32 : 1
        let present = present ?? state
        func next(_ number: (DatabaseStores.State) -> Int64) -> StorageValue {
            .int(max(number(state), number(present)) + step)
        }
        try db.execute(
            "UPDATE relay_state SET store = $1, next_change = $2, token_changes = $3",
            [.text(configuration.makeIdentifier()), next(\.relay.nextChange), next(\.relay.tokenChanges)])
        try db.execute(
            "UPDATE event_state SET next_event = $1, next_block = $2, stream_generation = $3",
            [next(\.events.nextEvent), next(\.events.nextBlock), next(\.events.streamGeneration)])
        try db.execute("UPDATE debug_log_state SET next = $1", [next(\.debugLogs.next)])
        // Its next event is that of the backup: what was not evaluated then is evaluated.
        try db.execute(
            "UPDATE alert_state SET next_delivery = $1, next_revision = $2",
            [next(\.alerts.nextDelivery), next(\.alerts.nextRevision)])
        // Whoever was seen since the backup is not known.
        try db.execute("DELETE FROM client_seen", [])
        // The retention clock does not go back either.
        for (table, clocks) in [
            ("event_state", [state.events.clocks, present.events.clocks]),
            ("debug_log_state", [state.debugLogs.clocks, present.debugLogs.clocks]),
            ("audit_state", [state.audit, present.audit]),
            ("alert_state", [state.alerts.clocks, present.alerts.clocks]),
        ] {
            guard let latest = clocks.max(by: { $0.arrival < $1.arrival }) else { continue }
            try db.execute(
                "UPDATE \(table) SET arrival = $1, wall = $2", [.double(latest.arrival), .double(latest.wall)])
        }
        let clocks = try AuditLog.clocks(db)
        let log = AuditLog(
            arrival: ArrivalTime(after: clocks, age: configuration.auditAge, configuration), now: configuration.now)
        try log.write([RelayAuditEntry(.restoreDatabase, by: .command, detail: AuditDetail(name).text)], db)
    }
}
