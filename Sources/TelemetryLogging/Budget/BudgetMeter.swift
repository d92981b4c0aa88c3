import Synchronization

/// The counters of one scenario's budget. They have a constant address until ``ScenarioBudgets`` is deinitialized, so that
/// threads change them without a lock.
@usableFromInline
struct BudgetMeter: ~Copyable {
    let name: String
    /// When the period began: the bit pattern of the seconds since 1 January 2001; NaN if no event has begun one.
    let begin = Atomic<UInt64>(Double.nan.bitPattern)
    /// The number of events that the period may still record. A negative value is the number of events that were not recorded.
    let eventsLeft = Atomic<Int>(0)
    /// The number of bytes that the period may still record; `Int.max` if bytes are not limited.
    let bytesLeft = Atomic<Int>(.max)

    init(name: String) { self.name = name }

    /// Ends the period: the next event begins one.
    borrowing func end() { begin.store(Double.nan.bitPattern, ordering: .releasing) }

    /// Sets the number of events that may still be recorded.
    /// - Returns: The number of events that were not recorded.
    borrowing func refill(_ events: Int) -> Int { -min(eventsLeft.exchange(events, ordering: .relaxed), 0) }

    /// Resets the count of events that were not recorded, and returns it.
    borrowing func takeSuppressed() -> Int { -min(eventsLeft.max(0, ordering: .relaxed).oldValue, 0) }
}
