import Synchronization
import TelemetryModels
import TelemetryPersistence

/// The two stores of the settings and the pending work, which are changed together.
@MainActor
final class ConsentStores {
    /// After this many conflicts with other processes, a change is made unconditionally.
    private static let maximumAttempts = 8

    let settings: any TelemetrySettingsStoring
    private let document: any SettingsDocumentStoring
    private let work: any TelemetryPendingWorkStoring
    /// The directory of the stores' files, if it is this instance's own.
    private let instance: InstanceDirectory?

    init(
        settings: any TelemetrySettingsStoring, work: any TelemetryPendingWorkStoring, instance: InstanceDirectory? = nil
    ) {
        self.instance = instance
        self.settings = settings
        document = settings as? any SettingsDocumentStoring ?? PlainSettings(settings)
        self.work = work
    }

    /// Returns whether a client's events may be sent, by the current contents of the stores.
    var consentCheck: @Sendable (_ clientId: String?) async -> Bool {
        { [document, work] clientId in
            let stored = await document.currentDocument()
            let settings = stored.settings
            guard settings.telemetryRequested, settings.telemetrySendingEnabled, settings.clientIdentifier == clientId else {
                return false
            }
            return await !StoredConsent(stored, work: work.currentPendingWork()).hasUnfinishedOptOut
        }
    }

    /// Reads the stored state. Pending work that is embedded in the settings is moved to its store.
    func read() async -> StoredConsent {
        // The settings first: if another process changes both in between, at least its pending work is read.
        let stored = await document.loadDocument()
        return StoredConsent(stored, work: await moveEmbeddedWork(of: stored))
    }

    /// Changes both atomically for other processes: the pending work is stored first, and the settings only if they are those
    /// that the change was based on. Otherwise it is retried.
    /// - Parameters:
    ///   - isOptOut: Whether to determine if the change of the settings outlives the process.
    ///   - transform: May run more than once; the last run counts.
    /// - Returns: The resulting state, even if it could not be stored, and what the transform returned.
    func update<Result: Sendable>(
        isOptOut: Bool = false, _ transform: @escaping @Sendable (inout StoredConsent) -> Result
    ) async -> Update<Result> {
        for _ in 1..<Self.maximumAttempts {
            let base = await read()
            var next = base
            let result = transform(&next)
            if !next.document.isSame(as: base.document) || next.work != base.work { instance?.claim() }
            await save(&next, since: base)
            guard let isRecorded = await save(next.document, over: base.document, isOptOut: isOptOut) else { continue }
            // If an opt-out may not outlive the process, the pending work still has to record that the consent has ended.
            if isOptOut ? isRecorded : !document.keepsDocument { await close(&next) }
            return Update(state: next, isRecorded: isRecorded, result: result)
        }
        return await updateAnything(isOptOut: isOptOut, transform)
    }

    /// Changes the settings unconditionally, and the pending work afterwards.
    private func updateAnything<Result: Sendable>(
        isOptOut: Bool, _ transform: @escaping @Sendable (inout StoredConsent) -> Result
    ) async -> Update<Result> {
        let base = await read()
        let (changed, isRecorded) = await write(isOptOut: isOptOut) { stored in
            var next = StoredConsent(stored, work: base.work)
            let result = transform(&next)
            stored = next.document
            return (state: next, result: result)
        }
        // If the store did not make the change, it must not restore a withdrawn consent.
        var next = changed?.state ?? base
        let result = changed?.result ?? transform(&next)
        await save(&next, since: base)
        return Update(state: next, isRecorded: isRecorded, result: result)
    }

    /// A change that was made.
    struct Update<Result: Sendable>: Sendable {
        let state: StoredConsent
        /// For an opt-out, whether it outlives the process.
        let isRecorded: Bool
        /// What the change returned.
        let result: Result
    }

    // MARK: Settings

    /// - Returns: Whether the change outlives the process; nil if the settings are not those that it was based on, and were not
    ///   changed.
    private func save(_ next: SettingsDocument, over base: SettingsDocument, isOptOut: Bool) async -> Bool? {
        guard isOptOut || next != base else { return true }
        let (isCurrent, isRecorded) = await write(isOptOut: isOptOut) { stored in
            guard stored.isSame(as: base) else { return false }
            let embedded = stored.embeddedWork.merging(next.embeddedWork, since: base.embeddedWork)
            stored = next
            stored.embeddedWork = embedded
            return true
        }
        return isCurrent == false ? nil : isRecorded
    }

    /// - Returns: What the last run of the transform returned, nil if the store did not run it; for an opt-out, whether it outlives
    ///   the process.
    private func write<Result: Sendable>(
        isOptOut: Bool, _ transform: @escaping @Sendable (inout SettingsDocument) -> Result
    ) async -> (result: Result?, isRecorded: Bool) {
        let last = Mutex<Result?>(nil)
        let isRecorded = await document.changeDocument(isOptOut: isOptOut) { stored in
            let result = transform(&stored)
            last.withLock { $0 = result }
        }
        return (last.withLock(\.self), isRecorded)
    }

    // MARK: Pending work

    /// Stores the changes of the pending work. What cannot be stored there is embedded in the settings: they must not outlive the
    /// process without it.
    private func save(_ next: inout StoredConsent, since base: StoredConsent) async {
        let (changed, before) = (next.work, base.work)
        guard changed != before else { return }
        await work.updatePendingWork { $0 = $0.merging(changed, since: before) }
        let added = TelemetryPendingWork(
            registrations: changed.registrations.filter { !before.registrations.contains($0) },
            deletions: changed.deletions.filter { !before.deletions.contains($0) })
        guard !added.isEmpty, await !work.isPendingWorkSaved else { return }
        next.document.embeddedWork.add(added)
    }

    /// Called once the settings record the ended consents: the pending work no longer has to, in case a client opts in again.
    private func close(_ state: inout StoredConsent) async {
        let before = state.work
        state.closeEndedConsents()
        let changed = state.work
        if changed != before { await work.updatePendingWork { $0 = $0.merging(changed, since: before) } }
    }

    /// - Returns: The pending work, including the work that was embedded in the settings.
    private func moveEmbeddedWork(of stored: SettingsDocument) async -> TelemetryPendingWork {
        var pending = await work.loadPendingWork()
        let embedded = stored.embeddedWork
        guard !embedded.isEmpty else { return pending }
        pending = await work.updatePendingWork { $0.add(embedded) }
        let isMoved =
            embedded.deletions.allSatisfy { pending.deletions.map(\.clientId).contains($0.clientId) }
            && embedded.registrations.allSatisfy(pending.registrations.contains)
        if isMoved, await work.isPendingWorkSaved {
            _ = await document.changeDocument(isOptOut: false) {
                $0.embeddedWork = $0.embeddedWork.merging(TelemetryPendingWork(), since: embedded)
            }
        }
        // Needed if the store did not make the change.
        pending.add(embedded)
        return pending
    }
}

extension SettingsDocument {
    /// Whether everything but the embedded work is equal.
    fileprivate func isSame(as other: Self) -> Bool { settings == other.settings && optOuts == other.optOuts }
}
