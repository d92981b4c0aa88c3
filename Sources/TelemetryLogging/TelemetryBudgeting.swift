package import Foundation

/// A logger that can limit how much each scenario records.
package protocol TelemetryBudgeting: TelemetryLogging {
    /// Limits how much each scenario records. Called before the logger is activated.
    /// - Parameters:
    ///   - budget: The limits of each scenario; nil for none.
    ///   - onSuspension: Called with all scenarios whose budget is used up, and the dates at which they record again, when they
    ///     change. It must not wait for a call of the logger.
    nonisolated func limit(
        to budget: ScenarioBudget?, onSuspension: @escaping @Sendable (_ suspensions: [String: Date]) async -> Void)

    /// Replaces the scenarios of which no event that was not recorded is reported, because the person forbids them. No such
    /// report is recorded once this returns.
    nonisolated func withholdBudgetReports(of scenarios: Set<String>)
}
