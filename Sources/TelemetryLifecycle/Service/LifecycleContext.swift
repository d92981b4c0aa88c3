import TelemetryModels
import TelemetryTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the controllers of a service share.
@MainActor
struct LifecycleContext {
    let state: LifecycleState
    let configuration: TelemetryLifecycleService.Configuration
    let transport: BoundedTransport

    var calls: BoundedCalls { transport.calls }
    var date: Date { configuration.date() }

    func report(_ kind: TelemetryDiagnostic.Kind, _ message: String) {
        configuration.diagnostics?(TelemetryDiagnostic(kind: kind, message: message))
    }
}
