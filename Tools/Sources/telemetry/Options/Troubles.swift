import Synchronization
import TelemetryModels

/// Gathers what a store found odd.
final class Troubles: Sendable {
    private let diagnostics = Mutex<[TelemetryDiagnostic]>([])

    var all: [TelemetryDiagnostic] { diagnostics.withLock { $0 } }

    func add(_ diagnostic: TelemetryDiagnostic) {
        diagnostics.withLock { if !$0.contains(diagnostic) { $0.append(diagnostic) } }
    }
}
