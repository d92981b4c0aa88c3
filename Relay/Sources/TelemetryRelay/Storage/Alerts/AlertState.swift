/// The row of counters for alerts and deliveries.
struct AlertState: Sendable {
    let nextDelivery: Int64
    let nextRevision: Int64
    /// The number of the first event that was not evaluated.
    let nextEvent: Int64
    /// Both clocks at the last write of a delivery.
    let clocks: ArrivalClock.Saved

    static func fetch(_ db: any StorageConnection) throws -> AlertState {
        let row = try db.rows(
            "SELECT next_delivery, next_revision, next_event, arrival, wall FROM alert_state WHERE id = 1"
        ).first
        guard let row else { throw RelayStorageError.corrupt("alert_state is empty") }
        return AlertState(
            nextDelivery: try row.int(0), nextRevision: try row.int(1), nextEvent: try row.int(2),
            clocks: try ArrivalClock.Saved(row, 3))
    }
}
