/// When suspensions end on the clock of waits. The clock of their dates may be set, and must not extend them.
struct SuspensionDeadlines {
    typealias Suspensions = [String: ScenarioBudgets.Suspension]

    private var deadlines: [String: (suspension: ScenarioBudgets.Suspension, deadline: Duration)] = [:]

    /// Replaces the suspensions; the deadlines of known ones stay.
    /// - Parameters:
    ///   - suspensions: All current suspensions.
    ///   - seconds: The date, in seconds since 1 January 2001.
    ///   - elapsed: The time on the clock of waits.
    /// - Returns: The suspensions that are over, which are removed, and how long until the next one is; nil if there is none.
    mutating func update(
        _ suspensions: Suspensions, at seconds: Double, elapsed: Duration
    ) -> (over: Suspensions, wait: Duration?) {
        var over: Suspensions = [:]
        var next: [String: (suspension: ScenarioBudgets.Suspension, deadline: Duration)] = [:]
        for (name, suspension) in suspensions {
            let known = deadlines[name].flatMap { $0.suspension == suspension ? $0.deadline : nil }
            let deadline = known ?? elapsed + .seconds(min(suspension.end - seconds, suspension.end - suspension.begin))
            if suspension.isOver(at: seconds) || deadline <= elapsed {
                over[name] = suspension
            } else {
                next[name] = (suspension, deadline)
            }
        }
        deadlines = next
        return (over, next.values.map { $0.deadline - elapsed }.min())
    }
}
