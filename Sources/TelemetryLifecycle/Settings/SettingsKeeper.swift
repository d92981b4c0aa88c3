import Foundation
import Synchronization
import TelemetryModels
import TelemetryPersistence

/// The settings and the pending work as they are here, kept in their stores and, the settings, in the backup.
///
/// What is read and written follows one another, in the order of the calls, whatever operation of the service asks for it.
/// What a change depends on is looked at inside the change: another process may have made one since the state was read.
@MainActor
final class SettingsKeeper {
    typealias Transform = LocalState.Transform

    private(set) var state = LocalState()
    /// The opt-out is recorded nowhere: a restart would forget it.
    private(set) var isOptOutUnrecorded = false
    /// The store has not taken the opt-out, whatever it says.
    private var isHeldOff = false
    private let stores: LocalStateStore
    /// The clients of which this process may store something, as other processes can see.
    var uses: Set<String> = []
    private let coordinator: TelemetrySettingsSyncCoordinator?
    private let calls: BoundedCalls
    private let queue: SerialQueue
    private let consent = ConsentClock()
    /// Where an opt-out is recorded that the settings store does not take.
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

    /// Whether something is still to be done at the store or at the backup.
    var hasPendingWork: Bool {
        !work.deletions.isEmpty || needsBackup || settings.clientIdentifier.map(state.needsRegistration) ?? false
    }

    /// Whether the backup is to be replaced.
    var needsBackup: Bool { coordinator != nil && state.needsBackup }

    /// Whether a client's events may be sent, as the shared settings say now. Waits for nothing but the stores.
    var consentCheck: @Sendable (_ clientId: String?) async -> Bool {
        { [marker, check = stores.consentCheck] clientId in
            marker?.isPlaced == true ? false : await check(clientId)
        }
    }

    /// Reads what is stored: another process may have changed it.
    func load() async { await queue.perform { await self.read() } }

    /// Changes the state, in the stores first: there another process may have changed other parts meanwhile, which stay.
    /// - Parameter transform: May run more than once; the last run counts.
    func change(_ transform: @escaping Transform) async { await queue.perform { _ = await self.apply(transform) } }

    // MARK: Consent

    /// A decision of now, which an opt-out from now on overrules. The stored settings are read in their turn.
    func decide() -> ConsentDecision {
        let decision = ConsentDecision(count: consent.now)
        queue.enqueue {
            await self.read()
            decision.stored = self.settings.optOuts
        }
        return decision
    }

    /// Changes the state, unless the person has opted out since the decision.
    /// - Parameter transform: May run more than once; the last run counts.
    /// - Returns: whether the decision still held.
    func change(by decision: ConsentDecision, _ transform: @escaping Transform) async -> Bool {
        let holds = Mutex(false)
        let consent = consent
        await queue.perform { [self] in
            let (count, stored) = (decision.count, decision.stored)
            // Where the store did not take the opt-out, what it says is from before.
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

    /// The person opts out. What is asked for from now on comes later; the caller does not wait.
    /// - Parameters:
    ///   - clients: Those that this process has used, whatever the settings say.
    ///   - done: Called once the settings say so.
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

    /// - Returns: whether the change outlives the process, for an opt-out.
    @discardableResult
    private func apply(isOptOut: Bool = false, _ transform: @escaping Transform) async -> Bool {
        let isBackedUp = coordinator != nil
        let change = await stores.change(isOptOut: isOptOut) { state in
            let previous = state.settings
            state.complete()
            transform(&state)
            // Whoever opted out meanwhile has the last word.
            if !state.settings.telemetryRequested { state.settings.telemetrySendingEnabled = false }
            if isBackedUp { state.noteBackup(of: previous) }
        }
        // Not what the store returns: a store that fails must not bring back a consent that was withdrawn.
        state = change.state
        show(settings)
        return change.isRecorded
    }
}

// MARK: Backup

extension SettingsKeeper {
    /// An older backup may have replaced a newer one: it is made again.
    func doubtBackup() async {
        if coordinator != nil { await change { $0.work.backup = .outdated } }
    }

    /// Takes over what the backup held, unless what is here is newer.
    /// - Parameter decision: From before the backup was read.
    func restore(_ backup: TelemetrySettings, by decision: ConsentDecision) async {
        _ = await change(by: decision) { state in
            if !state.settings.telemetryRequested, !state.needsBackup { state.restore(backup) }
        }
    }

    /// Replaces the backup where it differs. A failure is reported, and it is tried again after the next operation.
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
