import Foundation
import Synchronization
import TelemetryModels
import TelemetryPersistence

/// The local settings and pending work, with their stores and the settings' backup.
///
/// Reads and writes are serialized in the order of the calls, across the service's operations. A change checks its preconditions
/// inside the change, because another process may have changed the state since it was read.
@MainActor
final class SettingsKeeper {
    typealias Transform = LocalState.Transform

    private(set) var state = LocalState()
    /// Whether an opt-out could not be recorded and would be lost at a restart.
    private(set) var isOptOutUnrecorded = false
    /// Whether the settings store did not accept the opt-out, so that its contents are ignored.
    private var isHeldOff = false
    private let stores: LocalStateStore
    /// The clients of which this process may store data, visible to other processes.
    var uses: Set<String> = []
    private let coordinator: TelemetrySettingsSyncCoordinator?
    private let calls: BoundedCalls
    private let queue: SerialQueue
    private let consent = ConsentClock()
    /// Records an opt-out that the settings store does not accept.
    private var marker: OptOutMarker?
    private var hasLoaded = false
    private let show: @MainActor (TelemetrySettings) -> Void
    private let report: TelemetryDiagnosticsHandler?

    init(
        stores: LocalStateStore, marker: OptOutMarker?, coordinator: TelemetrySettingsSyncCoordinator?, calls: BoundedCalls,
        executor: (any TaskExecutor)?, report: TelemetryDiagnosticsHandler?,
        show: @escaping @MainActor (TelemetrySettings) -> Void
    ) {
        self.stores = stores
        self.marker = marker
        self.coordinator = coordinator
        self.calls = calls
        queue = SerialQueue(executor: executor)
        self.report = report
        self.show = show
    }

    var settings: TelemetrySettings { state.settings }
    var work: TelemetryPendingWork { state.work }
    var settingsStore: any TelemetrySettingsStoring { stores.settings }

    /// Whether there are pending changes in the store or the backup.
    var hasPendingWork: Bool {
        !work.deletions.isEmpty || needsBackup || settings.clientIdentifier.map(state.needsRegistration) ?? false
    }

    /// Whether the backup has to be replaced.
    var needsBackup: Bool { coordinator != nil && state.needsBackup }

    /// Returns whether a client's events may be sent, by the current shared settings. Waits only for the stores.
    var consentCheck: @Sendable (_ clientId: String?) async -> Bool {
        { [marker, check = stores.consentCheck] clientId in
            marker?.isPlaced == true ? false : await check(clientId)
        }
    }

    /// Reads the stored state, which another process may have changed.
    func load() async { await queue.perform { await self.read() } }

    /// Changes the state, in the stores first. Changes that another process made to other parts are kept.
    /// - Parameter transform: May run more than once; the last run counts.
    func change(_ transform: @escaping Transform) async { await queue.perform { _ = await self.apply(transform) } }

    // MARK: Consent

    /// Returns a decision made now, which any later opt-out overrules. The stored settings are read asynchronously, in order.
    func decide() -> ConsentDecision {
        let decision = ConsentDecision(count: consent.now)
        queue.enqueue {
            await self.read()
            decision.stored = self.settings.optOuts
        }
        return decision
    }

    /// Changes the state, unless the user has opted out since the decision.
    /// - Parameter transform: May run more than once; the last run counts.
    /// - Returns: Whether the decision was still valid.
    func change(by decision: ConsentDecision, _ transform: @escaping Transform) async -> Bool {
        let holds = Mutex(false)
        let consent = consent
        await queue.perform { [self] in
            let (count, stored) = (decision.count, decision.stored)
            // If the store did not accept the opt-out, its contents are older.
            let isHeldOff = isHeldOff
            await apply { state in
                if isHeldOff, state.settings.telemetryRequested { state.optOut() }
                let isSo = consent.now == count && (isHeldOff || state.settings.optOuts == stored)
                holds.withLock { $0 = isSo }
                if isSo { transform(&state) }
            }
            guard holds.withLock(\.self), settings.telemetryRequested else { return }
            isOptOutUnrecorded = false
            self.isHeldOff = false
            _ = marker?.take()
            marker?.clear()
        }
        return holds.withLock(\.self)
    }

    /// Opts out, ahead of all later calls. The caller does not wait.
    /// - Parameters:
    ///   - clients: The clients that this process has used, whether or not they are in the settings.
    ///   - done: Called once the opt-out is in the settings.
    func optOut(clients: [String], done: @escaping @MainActor () -> Void) {
        consent.optOut()
        queue.enqueue {
            await self.recordOptOut { state in
                state.optOut()
                for clientId in clients { state.addDeletion(of: clientId) }
            }
            done()
        }
    }

    private func recordOptOut(_ transform: @escaping Transform) async {
        if !hasLoaded { await read() }
        isHeldOff = true
        isHeldOff = !(await apply(isOptOut: true, transform))
        if isHeldOff {
            isOptOutUnrecorded = !(marker?.place() ?? false)
        } else {
            isOptOutUnrecorded = false
            _ = marker?.take()
            marker?.clear()
        }
    }

    // MARK: Reading and writing

    private func read() async {
        guard !isHeldOff else {
            return await recordOptOut {
                if $0.settings.telemetryRequested || $0.settings.clientIdentifier != nil { $0.optOut() }
            }
        }
        hasLoaded = true
        state = await stores.read()
        if marker?.isPlaced == true { return await recordOptOut { $0.optOut() } }
        // A process was killed between the two changes of an opt-out.
        if state.hasUnfinishedOptOut { return await recordOptOut { _ in } }
        show(settings)
    }

    /// - Returns: For an opt-out, whether the change outlives the process.
    @discardableResult
    private func apply(isOptOut: Bool = false, _ transform: @escaping Transform) async -> Bool {
        let isBackedUp = coordinator != nil
        let change = await stores.change(isOptOut: isOptOut) { state in
            let previous = state.settings
            state.complete()
            transform(&state)
            // An opt-out that was made meanwhile takes precedence.
            if !state.settings.telemetryRequested { state.settings.telemetrySendingEnabled = false }
            if isBackedUp { state.noteBackup(of: previous) }
        }
        // Not the store's result: a store that fails must not restore a withdrawn consent.
        state = change.state
        show(settings)
        return change.isRecorded
    }
}

// MARK: Backup

extension SettingsKeeper {
    /// Marks the backup as outdated, because an older backup may have replaced a newer one.
    func markBackupOutdated() async {
        if coordinator != nil { await change { $0.work.backup = .outdated } }
    }

    /// Restores the settings of the backup, unless the local ones are newer.
    /// - Parameter decision: A decision made before the backup was read.
    func restore(_ backup: TelemetrySettings, by decision: ConsentDecision) async {
        _ = await change(by: decision) { state in
            if !state.settings.telemetryRequested, !state.needsBackup { state.restore(backup) }
        }
    }

    /// Replaces the backup if it differs from the settings. A failure is reported and retried after the next operation.
    func backUp() async {
        guard let coordinator, needsBackup else { return }
        let copy = state.backedUp
        do {
            try await calls.call(.backup) { try await coordinator.backupSettings(copy) }
            await change { $0.work.backup = .holds(copy.fieldsAlone) }
        } catch {
            report?(
                .init(kind: .storageFailed, message: "The settings could not be backed up: \(error.localizedDescription)"))
        }
    }
}
