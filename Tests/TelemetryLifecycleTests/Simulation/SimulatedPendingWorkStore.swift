import TelemetryModels
import TelemetryPersistence

/// The device's pending work, as one process reads it. The process may die before or after each change, and unwritten changes are
/// merged with the stored work, as in a file store.
@MainActor
final class SimulatedPendingWorkStore: TelemetryPendingWorkStoring {
    private let process: SimulatedProcess
    private var known = TelemetryPendingWork()
    private var unsaved: (value: TelemetryPendingWork, base: TelemetryPendingWork)?

    init(process: SimulatedProcess) { self.process = process }

    private var device: SimulatedDevice { process.device }
    private var current: TelemetryPendingWork {
        unsaved.map { device.work.merging($0.value, since: $0.base) } ?? device.work
    }

    var isPendingWorkSaved: Bool { get async { unsaved == nil } }

    func currentPendingWork() async -> TelemetryPendingWork { await loadPendingWork() }

    func loadPendingWork() async -> TelemetryPendingWork {
        guard !process.isDead else { return TelemetryPendingWork() }
        if unsaved != nil, !device.isUnwritable, !device.isUnreadable { return change { _ in } }
        guard !device.isUnreadable else { return unsaved?.value ?? known }
        known = device.work
        return current
    }

    func updatePendingWork(
        _ transform: @Sendable (inout TelemetryPendingWork) -> Void
    ) async -> TelemetryPendingWork {
        await process.world.storeGate(process, "save work")
        guard !process.isDead else { return TelemetryPendingWork() }
        let work = change(transform)
        await process.world.storeGate(process, "work saved")
        return work
    }

    func removePendingWork() async { _ = await updatePendingWork { $0 = TelemetryPendingWork() } }

    private func change(_ transform: (inout TelemetryPendingWork) -> Void) -> TelemetryPendingWork {
        let isUnseen = device.isUnreadable
        if !isUnseen { known = device.work }
        var work = isUnseen ? unsaved?.value ?? known : current
        transform(&work)
        if isUnseen || device.isUnwritable {
            unsaved = (work, isUnseen ? unsaved?.base ?? known : device.work)
            return work
        }
        device.work = work
        known = work
        unsaved = nil
        noteOptOut()
        return work
    }

    /// An opt-out that is recorded here holds even before it is in the settings.
    private func noteOptOut() {
        let document = device.document
        let isRecorded = device.work.deletions.contains {
            $0.endsConsent == document.optOuts && $0.clientId == document.settings.clientIdentifier
        }
        if isRecorded, !device.consent.isWanted, device.consent.process === process { device.consent.isBinding = true }
    }
}
