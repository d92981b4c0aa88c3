/// A logger that can begin another session without being shut down.
package protocol TelemetrySessionRenewing: TelemetryLogging {
    /// Discards what was not sent and begins another session; recording goes on as it was. Has no effect before activation and
    /// after ``TelemetryLogging/shutdown()``.
    /// - Returns: the session that ended, where the transport may have events of it.
    func renewSession() async -> String?
}
