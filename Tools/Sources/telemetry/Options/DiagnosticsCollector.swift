import Synchronization
import TelemetryModels

/// Collects the diagnostics of a store, without duplicates.
final class DiagnosticsCollector: Sendable {
    private let diagnostics = Mutex<[TelemetryDiagnostic]>([])

    var all: [TelemetryDiagnostic] { diagnostics.withLock { $0 } }

    func add(_ diagnostic: TelemetryDiagnostic) {
        diagnostics.withLock { if !$0.contains(diagnostic) { $0.append(diagnostic) } }
    }
}
