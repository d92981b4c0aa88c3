import Synchronization
package import TelemetryModels

/// Holds diagnostics back until ``release()``, so that the handler is not called under a lock; passes on later ones at once.
package final class DeferredDiagnostics: Sendable {
    private let handler: TelemetryDiagnosticsHandler?
    private let held = Mutex<[TelemetryDiagnostic]?>([])

    package init(handler: TelemetryDiagnosticsHandler?) { self.handler = handler }

    package func report(_ diagnostic: TelemetryDiagnostic) {
        let isHeld = held.withLock { held in
            held?.append(diagnostic)
            return held != nil
        }
        if !isHeld { handler?(diagnostic) }
    }

    package func release() {
        let deferred = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for diagnostic in deferred { handler?(diagnostic) }
    }
}
