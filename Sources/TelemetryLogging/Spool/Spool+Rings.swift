import TelemetryModels
import TelemetrySystem

/// Rings of the flight recorder.
extension Spool {
    /// The largest file that is read as a ring.
    static let maximumRingBytes = RingHeader.bytes + TelemetryLogger.Configuration.maximumRecorderBytes

    /// Adopts the rings of a client's scenarios that dead owners left, and removes their other rings.
    func adoptRings(of clientId: String, scenarios: Set<String>, window: RecordedEvents.Window) -> AdoptedRings {
        var adopted = AdoptedRings()
        Self.forEachDeadOwner(in: directory, system) { paths in
            for path in paths {
                do throws(FileError) {
                    try adoptRing(path, of: clientId, scenarios: scenarios, window: window, into: &adopted)
                } catch {
                    if error.isLasting {
                        quarantine(path, because: "\(error)", in: &adopted.reports)
                    } else if !error.isNotFound {
                        adopted.reports.report(.storageFailed, "A recorder's file is left for the next start: \(error)")
                    }
                }
            }
        }
        Self.removeQuarantined(in: directory, olderThan: window.maximumAge, system)
        return adopted
    }

    private func adoptRing(
        _ path: String, of clientId: String, scenarios: Set<String>, window: RecordedEvents.Window,
        into adopted: inout AdoptedRings
    ) throws(FileError) {
        switch RecordedEvents.read(try system.open(path, for: .write).content(limit: Self.maximumRingBytes)) {
        case .empty: try? system.remove(path)
        case .corrupt: quarantine(path, because: "it has no valid header", in: &adopted.reports)
        case .events(let events, let header):
            let remaining = events.remaining(in: window)
            guard header.clientId == clientId, scenarios.contains(header.scenario), !remaining.entries.isEmpty else {
                return try system.remove(path)
            }
            // It stays on the disk until its events are in this owner's ring.
            let own = nextAdoptedPath(suffix: Self.ringSuffix)
            try system.rename(path, to: own)
            adopted.rings[header.scenario, default: []].append(.init(path: own, system: system, events: remaining))
        }
    }
}
