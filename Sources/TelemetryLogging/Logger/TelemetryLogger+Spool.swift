import Foundation
import TelemetryModels

extension TelemetryLogger {
    /// Moves held events to the spool's files and adopts the events of dead sessions. Without a usable directory events stay in
    /// memory.
    func openSpool() {
        guard let directory = configuration.spoolDirectory, capture.withState({ $0.store.spool == nil }) else { return }
        do {
            let spool = try Spool(directory: directory)
            if let exposure = spool.exposure {
                report(.storageFailed, "Other users can remove spooled events in \(directory.path): \(exposure).")
            }
            let maximumBytes = configuration.spool.maximumBytes
            capture.withState { $0.attach(spool, maximumBytes: maximumBytes) }
            capture.createFiles()
            adoptOrphans()
        } catch {
            report(.storageFailed, "The spool in \(directory.path) cannot be used; events are kept in memory: \(error)")
        }
    }

    /// Adopts the current client's events that dead sessions left.
    func adoptOrphans() {
        let (spool, clientId) = capture.withState { ($0.store.spool, $0.clientId) }
        guard let spool else { return }
        let orphans = spool.adopt(clientId: clientId, maximumAge: configuration.spool.maximumAge, now: bootTime())
        capture.withState { $0.adopt(orphans) }
        for diagnostic in orphans.diagnostics { configuration.diagnostics?(diagnostic) }
    }

    /// Reports the losses of an adoption if no event waits, because then no delivery follows that would report them.
    func reportDropsOfOrphans() {
        if capture.waiting == 0 { reportDrops() }
    }
}
