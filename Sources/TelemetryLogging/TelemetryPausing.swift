/// A logger that can stop recording and sending without discarding waiting events.
package protocol TelemetryPausing: TelemetryLogging {
    /// Pauses or resumes the logger.
    ///
    /// A paused logger records no event and starts no delivery, even if recording is turned on; waiting events are kept. An append
    /// in progress is cancelled and awaited. If the logger is activated while it is paused, held events are discarded.
    func setPaused(_ isPaused: Bool) async
}
