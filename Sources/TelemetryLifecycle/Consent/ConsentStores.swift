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
        // The public protocol cannot have requirements that are internal to the package.
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

    /// Reads the stored state. Pending work that is embedded in the settings document is moved to its store.
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
        var base = await read()
        let first = base.work
        for _ in 1..<Self.maximumAttempts {
            var next = base
            let result = transform(&next)
            if !next.document.isSame(as: base.document) || next.work != base.work { instance?.claim() }
            await save(&next, since: base.work, first: first)
            guard let isRecorded = await save(next.document, over: base.document, isOptOut: isOptOut) else {
                base = await read()
                continue
            }
            // If an opt-out may not outlive the process, the pending work still has to record that the consent has ended.
            if isOptOut ? isRecorded : !document.keepsDocument { await close(&next) }
            return Update(state: kept(next), isRecorded: isRecorded, result: result)
        }
        return await updateAnything(from: base, isOptOut: isOptOut, first: first, transform)
    }

    /// Changes the settings unconditionally, and the pending work afterwards.
    private func updateAnything<Result: Sendable>(
        from base: StoredConsent, isOptOut: Bool, first: TelemetryPendingWork,
        _ transform: @escaping @Sendable (inout StoredConsent) -> Result
    ) async -> Update<Result> {
        let (changed, isRecorded) = await write(isOptOut: isOptOut) { stored in
            var next = StoredConsent(stored, work: base.work)
            let result = transform(&next)
            stored = next.document
            return (state: next, result: result)
        }
        // If the store did not make the change, it must not restore a withdrawn consent.
        var next = changed?.state ?? base
        let result = changed?.result ?? transform(&next)
        let embedded = await save(&next, since: base.work, first: first)
        if !embedded.isEmpty { await document.changeDocument { $0.embeddedWork.add(embedded) } }
        return Update(state: kept(next), isRecorded: isRecorded, result: result)
    }

    /// Returns the state as the stores keep it.
    private func kept(_ state: StoredConsent) -> StoredConsent {
        document.keepsDocument ? state : StoredConsent(SettingsDocument(settings: state.settings), work: state.work)
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
        let change: @Sendable (inout SettingsDocument) -> Void = { stored in
            let result = transform(&stored)
            last.withLock { $0 = result }
        }
        var isRecorded = true
        if isOptOut { isRecorded = await document.recordOptOutInDocument(change) } else { await document.changeDocument(change) }
        return (last.withLock(\.self), isRecorded)
    }

    // MARK: Pending work

    /// Stores the changes of the pending work. If it cannot be written, the added work is embedded in the settings document, which may
    /// be written before it.
    /// - Parameter first: The pending work before the first attempt.
    /// - Returns: The work that was embedded.
    @discardableResult
    private func save(
        _ next: inout StoredConsent, since base: TelemetryPendingWork, first: TelemetryPendingWork
    ) async -> TelemetryPendingWork {
        let changed = next.work
        if changed != base { await work.updatePendingWork { $0 = $0.merging(changed, since: base) } }
        let added = TelemetryPendingWork(
            registrations: changed.registrations.filter { !first.registrations.contains($0) },
            deletions: changed.deletions.filter { !first.deletions.contains($0) })
        guard !added.isEmpty, await !work.isPendingWorkSaved else { return TelemetryPendingWork() }
        next.document.embeddedWork.add(added)
        return added
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
            await document.changeDocument {
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
