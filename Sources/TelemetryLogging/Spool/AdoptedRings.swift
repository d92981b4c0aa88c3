import TelemetryModels
import TelemetrySystem

/// The rings that dead owners left.
struct AdoptedRings {
    struct Ring {
        /// The file, which belongs to the adopting owner now.
        let path: String
        let system: FileSystem
        let events: RecordedEvents

        /// Removes the file, whose events are elsewhere.
        func remove() { try? system.remove(path) }
    }

    /// By scenario.
    var rings: [String: [Ring]] = [:]
    /// The diagnostics of files that cannot be read.
    var reports = OrphanedSegments()

    var diagnostics: [TelemetryDiagnostic] { reports.diagnostics }
}
