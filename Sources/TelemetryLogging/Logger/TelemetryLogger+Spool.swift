import Foundation
import TelemetryModels

extension TelemetryLogger {
    /// Moves what is held into the spool's files and takes over what dead sessions left; without a directory, or where it
    /// cannot be used, events stay in memory.
    func openSpool() {
        guard let directory = configuration.spoolDirectory, capture.withState({ $0.store.spool == nil }) else { return }
        do {
            let spool = try Spool(directory: directory)
            let legacy = Spool.adopt(in: directory, maximumAge: configuration.spool.maximumAge)
            let maximumBytes = configuration.spool.maximumBytes
            capture.withState { state in
                state.attach(spool, maximumBytes: maximumBytes)
                state.adopt(legacy.segments, damaged: legacy.damaged)
            }
            capture.tellFailure()
            for diagnostic in legacy.diagnostics { configuration.diagnostics?(diagnostic) }
        } catch {
            report(.storageFailed, "The spool in \(directory.path) cannot be used; events are kept in memory: \(error)")
        }
    }
}
