import Synchronization
import TelemetryModels

/// Holds diagnostics back until ``release()``, so that the handler is not called under a lock; passes on later ones at once.
final class DeferredDiagnostics: Sendable {
    private let handler: TelemetryDiagnosticsHandler?
    private let held = Mutex<[TelemetryDiagnostic]?>([])

    init(handler: TelemetryDiagnosticsHandler?) { self.handler = handler }

    func report(_ diagnostic: TelemetryDiagnostic) {
        let isHeld = held.withLock { held in
            held?.append(diagnostic)
            return held != nil
        }
        if !isHeld { handler?(diagnostic) }
    }

    func release() {
        let deferred = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for diagnostic in deferred { handler?(diagnostic) }
    }
}
