import Synchronization

/// Whether events are accepted, and whether consent still allows to send them. May be used on any thread.
final class EventAcceptance: Sendable {
    private let gate: ScenarioGate
    private let capture: EventCapture
    /// Whether consent was withdrawn and the call that turns recording off has not begun yet.
    private let withdrawn = Atomic(false)
    /// Nil if only the host decides about consent.
    private let consent = Mutex<TelemetryConsentCheck?>(nil)

    init(gate: ScenarioGate, capture: EventCapture) {
        self.gate = gate
        self.capture = capture
    }

    var isWithdrawn: Bool { withdrawn.load(ordering: .sequentiallyConsistent) }
    var check: TelemetryConsentCheck? { consent.withLock(\.self) }

    func setConsentCheck(_ check: TelemetryConsentCheck) { consent.withLock { $0 = check } }

    /// Refuses events, and those that wait must not be sent.
    func withdraw() {
        withdrawn.store(true, ordering: .sequentiallyConsistent)
        close()
    }

    /// Called when recording is turned off, before it can be turned on again.
    func endWithdrawal() { withdrawn.store(false, ordering: .sequentiallyConsistent) }

    func open() {
        if isWithdrawn { return }
        capture.withState { $0.isAccepting = true }
        gate.setOpen(true)
        // A withdrawal meanwhile may have closed the gate before it was opened here.
        if isWithdrawn { close() }
    }

    func close() {
        gate.setOpen(false)
        capture.withState { $0.isAccepting = false }
    }
}
