import Synchronization
import TelemetryModels
import TelemetryPersistence

/// The two stores of the settings and the pending work, which are changed together.
@MainActor
final class LocalStateStore {
    /// After this many conflicts with other processes, a change is made unconditionally.
    private static let maximumAttempts = 8

    let settings: any TelemetrySettingsStoring
    let work: any TelemetryPendingWorkStoring
    /// The directory of the stores' files, if it is this instance's own.
    private let instance: InstanceDirectory?

    init(
        settings: any TelemetrySettingsStoring, work: any TelemetryPendingWorkStoring, instance: InstanceDirectory? = nil
    ) {
        self.instance = instance
        self.settings = settings
        self.work = work
    }

    /// Returns whether a client's events may be sent, by the current contents of the stores.
    var consentCheck: @Sendable (_ clientId: String?) async -> Bool {
        { [settings, work] clientId in
            let stored = await settings.current()
            guard stored.telemetryRequested, stored.telemetrySendingEnabled, stored.clientIdentifier == clientId else {
                return false
            }
            return await !LocalState(settings: stored, work: work.currentPendingWork()).hasUnfinishedOptOut
        }
    }

    /// Reads the stored state. Pending work that is embedded in the settings is moved to its store.
    func read() async -> LocalState {
        // The settings first: if another process changes both in between, at least its pending work is read.
        let stored = await settings.load()
        return LocalState(settings: stored, work: await moveEmbeddedWork(of: stored))
    }

    /// Changes both atomically for other processes: the pending work is stored first, and the settings only if they are those
    /// that the change was based on. Otherwise it is retried.
    /// - Parameters:
    ///   - isOptOut: Whether to determine if the change of the settings outlives the process.
    ///   - transform: May run more than once; the last run counts.
    /// - Returns: The resulting state, even if it could not be stored.
    func change(
        isOptOut: Bool = false, _ transform: @escaping LocalState.Transform
    ) async -> (state: LocalState, isRecorded: Bool) {
        for _ in 1..<Self.maximumAttempts {
            let base = await read()
            var next = base
            transform(&next)
            if !next.settings.isSame(as: base.settings) || next.work != base.work { instance?.claim() }
            await save(&next, since: base)
            guard let isRecorded = await save(next.settings, over: base.settings, isOptOut: isOptOut) else { continue }
            // If an opt-out may not outlive the process, the pending work still has to record that the consent has ended.
            if isOptOut ? isRecorded : !settings.recordsOptOuts { await close(&next) }
            return (next, isRecorded)
        }
        return await changeAnything(isOptOut: isOptOut, transform)
    }

    /// Changes the settings unconditionally, and the pending work afterwards.
    private func changeAnything(
        isOptOut: Bool, _ transform: @escaping LocalState.Transform
    ) async -> (state: LocalState, isRecorded: Bool) {
        let base = await read()
        let changed = Mutex<LocalState?>(nil)
        let isRecorded = await write(isOptOut: isOptOut) { stored in
            var next = LocalState(settings: stored, work: base.work)
            transform(&next)
            stored = next.settings
            changed.withLock { [next] in $0 = next }
        }
        var next = changed.withLock(\.self) ?? base
        await save(&next, since: base)
        return (next, isRecorded)
    }

    // MARK: Settings

    /// - Returns: Whether the change outlives the process; nil if the settings are not those that it was based on, and were not
    ///   changed.
    private func save(_ next: TelemetrySettings, over base: TelemetrySettings, isOptOut: Bool) async -> Bool? {
        guard isOptOut || !next.isSame(as: base) || next.embeddedWork != base.embeddedWork else { return true }
        let isCurrent = Mutex(true)
        let isRecorded = await write(isOptOut: isOptOut) { stored in
            let isSame = stored.isSame(as: base)
            isCurrent.withLock { $0 = isSame }
            guard isSame else { return }
            let embedded = stored.embeddedWork.merging(next.embeddedWork, since: base.embeddedWork)
            stored = next
            stored.embeddedWork = embedded
        }
        return isCurrent.withLock(\.self) ? isRecorded : nil
    }

    private func write(
        isOptOut: Bool, _ transform: @escaping @Sendable (inout TelemetrySettings) -> Void
    ) async -> Bool {
        if isOptOut { return await settings.recordOptOut(transform) }
        await settings.update(transform)
        return true
    }

    // MARK: Pending work

    /// Stores the changes of the pending work. Deletions that cannot be stored there are embedded in the settings.
    private func save(_ next: inout LocalState, since base: LocalState) async {
        let (changed, before) = (next.work, base.work)
        guard changed != before else { return }
        await work.updatePendingWork { $0 = $0.merging(changed, since: before) }
        let added = changed.deletions.filter { !before.deletions.contains($0) }
        guard !added.isEmpty, await !work.isPendingWorkSaved else { return }
        next.settings.embeddedWork.add(TelemetryPendingWork(deletions: added))
    }

    /// Called once the settings record the ended consents: the pending work no longer has to, in case a client opts in again.
    private func close(_ state: inout LocalState) async {
        let before = state.work
        state.closeEndedConsents()
        let changed = state.work
        if changed != before { await work.updatePendingWork { $0 = $0.merging(changed, since: before) } }
    }

    /// - Returns: The pending work, including the work that was embedded in the settings.
    private func moveEmbeddedWork(of stored: TelemetrySettings) async -> TelemetryPendingWork {
        var pending = await work.loadPendingWork()
        let embedded = stored.embeddedWork
        guard !embedded.isEmpty else { return pending }
        let moved = Mutex<TelemetryPendingWork?>(nil)
        await work.updatePendingWork { pending in
            pending.add(embedded)
            moved.withLock { [pending] in $0 = pending }
        }
        pending.add(embedded)
        if await work.isPendingWorkSaved, moved.withLock(\.self) != nil {
            await settings.update { $0.embeddedWork = $0.embeddedWork.merging(TelemetryPendingWork(), since: embedded) }
        }
        return moved.withLock(\.self) ?? pending
    }
}

extension TelemetrySettings {
    /// Whether everything but the embedded work is equal.
    fileprivate func isSame(as other: Self) -> Bool { self == other && optOuts == other.optOuts }
}
