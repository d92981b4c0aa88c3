import Foundation
import TelemetryModels

extension TelemetryLogger {
    /// Moves what is held into the spool's files and takes over what dead sessions left; without a directory, or where it
    /// cannot be used, events stay in memory.
    func openSpool() {
        guard let directory = configuration.spoolDirectory, capture.withState({ $0.store.spool == nil }) else { return }
        do {
            let spool = try Spool(directory: directory)
            if let exposure = spool.exposure {
                report(.storageFailed, "Other users can remove spooled events in \(directory.path): \(exposure).")
            }
            let maximumBytes = configuration.spool.maximumBytes
            capture.withState { $0.attach(spool, maximumBytes: maximumBytes) }
            adoptOrphans()
            capture.reportFailure()
        } catch {
            report(.storageFailed, "The spool in \(directory.path) cannot be used; events are kept in memory: \(error)")
        }
    }

    /// Takes over what dead sessions left of the current client's events.
    func adoptOrphans() {
        let (spool, clientId) = capture.withState { ($0.store.spool, $0.clientId) }
        guard let spool else { return }
        let orphans = spool.adopt(clientId: clientId, maximumAge: configuration.spool.maximumAge, now: bootTime())
        capture.withState { $0.adopt(orphans) }
        for diagnostic in orphans.diagnostics { configuration.diagnostics?(diagnostic) }
    }

    /// Where nothing was left to deliver, no delivery follows that would tell of what was discarded.
    func reportDropsOfOrphans() {
        if capture.waiting == 0 { reportDrops() }
    }
}
