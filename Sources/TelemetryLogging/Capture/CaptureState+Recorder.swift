import TelemetryModels

extension CaptureState {
    /// A copy of a scenario's ring; nil if the scenario is not recorded.
    func snapshot(of scenario: String) -> EventRing.Snapshot? {
        isAccepting ? recorder.ring(of: scenario)?.snapshot : nil
    }

    /// Appends a ring's events to the events that wait for delivery, and marks them as captured.
    ///
    /// An event is marked after it was appended. If the process is killed in between, it is captured again, with the same
    /// identifier.
    /// - Returns: the number of events; nil if the scenario is not recorded.
    mutating func capture(_ request: CaptureRequest) -> Int? {
        guard isAccepting, let ring = recorder.ring(of: request.scenario) else { return nil }
        let before = nextSequence
        for (entry, bytes) in request.frames {
            // The result is not needed, because the caller always wakes the consumer.
            bytes.withByteView { frame in _ = append(EncodedFrame(frame)) }
            ring.markCaptured(entry, of: request.key)
        }
        return Int(nextSequence &- before)
    }
}
