/// A logger that can begin a new session without being shut down.
package protocol TelemetrySessionRenewing: TelemetryLogging {
    /// Discards the events that were not sent and begins a new session; recording stays on or off. Has no effect before
    /// activation and after ``TelemetryLogging/shutdown()``.
    /// - Returns: the session that ended if the transport may have events of it; otherwise nil.
    func renewSession() async -> String?
}
