/// The gate's permission to record one event.
@usableFromInline
struct Admission {
    /// The meter of the scenario's budget; nil if the scenario has none.
    @usableFromInline let meter: SharedMemory<BudgetMeter>?
    /// The time of the event, in seconds since 1 January 2001, if there is a meter: the gate had to read the clock.
    @usableFromInline let seconds: Double
    /// The index of the flight recorder's ring that keeps the event; negative if the event is delivered.
    @usableFromInline let ring: Int

    /// Creates the permission for an event that no budget limits.
    @inlinable @inline(__always)
    init() {
        meter = nil
        seconds = 0
        ring = -1
    }

    /// Creates the permission for an event that counts against a budget.
    init(meter: SharedMemory<BudgetMeter>, seconds: Double) {
        self.meter = meter
        self.seconds = seconds
        ring = -1
    }

    /// Creates the permission for an event that a ring of the flight recorder keeps.
    init(ring: Int) {
        meter = nil
        seconds = 0
        self.ring = ring
    }

    /// Whether the event is kept in a ring instead of being delivered.
    @inline(__always)
    var isKept: Bool { ring >= 0 }
}
