extension TelemetryLogger {
    /// Returns when everything that was logged before the call, on any thread, is with the transport or kept for a later try.
    ///
    /// It tries at once, also in the middle of a backoff; calls that overlap share a delivery. Before activation events are
    /// held, and it returns at once. It waits as long as the transport does; cancelling the calling task ends the waiting, not
    /// the delivery.
    public func flush() async {
        guard pump != nil else { return }
        // Entered before anything else can happen here: a pump that ends meanwhile lets go everybody who is.
        let id = flushes.enter()
        capture.wakeUp.signal()
        await flushes.wait(id)
    }
}
