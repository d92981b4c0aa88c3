/// The limits of what a scenario records in a period.
package struct ScenarioBudget: Sendable, Hashable {
    /// The maximum number of events; at least 0.
    let events: Int
    /// The maximum number of bytes of encoded events; `Int.max` for no limit.
    let bytes: Int
    /// The length of a period, in seconds; more than 0.
    let seconds: Double

    /// Creates a budget. With a limit of 0 or less nothing is recorded.
    /// - Parameters:
    ///   - events: The maximum number of events in a period.
    ///   - bytes: The maximum number of bytes of encoded events in a period; nil for no limit.
    ///   - period: The length of a period; at most a hundred years, a longer one is reduced to that.
    /// - Returns: nil if the period is not positive.
    package init?(events: Int, bytes: Int?, per period: Duration) {
        guard period > .zero else { return nil }
        let recordsNothing = events <= 0 || bytes.map { $0 <= 0 } ?? false
        self.events = recordsNothing ? 0 : events
        self.bytes = bytes ?? .max
        seconds = min(period / .seconds(1), 100 * 365 * 86_400)
    }
}
