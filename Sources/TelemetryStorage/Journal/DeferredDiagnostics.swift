import Synchronization
package import TelemetryModels

/// Keeps from a handler what it would hear under a lock, until the lock is given back; passes on what comes later.
package final class DeferredDiagnostics: Sendable {
    private let handler: TelemetryDiagnosticsHandler?
    private let held = Mutex<[TelemetryDiagnostic]?>([])

    package init(handler: TelemetryDiagnosticsHandler?) { self.handler = handler }

    package func tell(_ diagnostic: TelemetryDiagnostic) {
        let isHeld = held.withLock { held in
            held?.append(diagnostic)
            return held != nil
        }
        if !isHeld { handler?(diagnostic) }
    }

    package func release() {
        let told = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for diagnostic in told { handler?(diagnostic) }
    }
}
