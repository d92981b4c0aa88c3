import Synchronization
import TelemetryModels

/// Keeps from a handler what it would hear under a lock, until the lock is given back; passes on what comes later.
final class HeldDiagnostics: Sendable {
    private let handler: TelemetryDiagnosticsHandler?
    private let held = Mutex<[TelemetryDiagnostic]?>([])

    init(handler: TelemetryDiagnosticsHandler?) { self.handler = handler }

    func tell(_ diagnostic: TelemetryDiagnostic) {
        let isHeld = held.withLock { held in
            held?.append(diagnostic)
            return held != nil
        }
        if !isHeld { handler?(diagnostic) }
    }

    func release() {
        let told = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for diagnostic in told { handler?(diagnostic) }
    }
}
