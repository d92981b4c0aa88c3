/// A logger that can cease to record and to send without discarding what waits.
package protocol TelemetryPausing: TelemetryLogging {
    /// Pauses, or goes on as before.
    ///
    /// While it is paused nothing is recorded and no delivery begins, whatever else turns recording on; what waits stays. An append
    /// under way is cancelled and waited for. What was held before activation is discarded where it is activated paused.
    func setPaused(_ isPaused: Bool) async
}
