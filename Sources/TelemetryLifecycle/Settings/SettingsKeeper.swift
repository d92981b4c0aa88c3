import Synchronization
import TelemetryModels
import TelemetryPersistence

/// The settings as they are here, kept in the store and in the backup.
///
/// What is read and written follows one another, in the order of the calls, whatever operation of the service asks for it.
/// What a change depends on is looked at inside the change: another process may have made one since the settings were read.
@MainActor
final class SettingsKeeper {
    typealias Transform = @Sendable (inout TelemetrySettings) -> Void

    private(set) var settings = TelemetrySettings.defaults
    /// The opt-out is recorded nowhere: a restart would forget it.
    private(set) var isOptOutUnrecorded = false
    /// The store has not taken the opt-out, whatever it says.
    private var isHeldOff = false
    let store: any TelemetrySettingsStoring
    /// The clients of which this process may store something, as other processes can see.
    var uses: Set<String> = []
    private let coordinator: TelemetrySettingsSyncCoordinator?
    private let note: ObligationsNote
    private let calls: BoundedCalls
    private let queue: OperationQueue
    private let consent = ConsentClock()
    /// Where an opt-out is recorded that the settings store does not take.
    private var marker: OptOutMarker?
    private var hasLoaded = false
    /// Whether the store was seen to lose what is owed.
    private var isForgetful = false
    private let show: @MainActor (TelemetrySettings) -> Void
    private let report: TelemetryDiagnosticsHandler?

    init(
        store: any TelemetrySettingsStoring, note: ObligationsNote, marker: OptOutMarker?,
        coordinator: TelemetrySettingsSyncCoordinator?, calls: BoundedCalls, executor: (any TaskExecutor)?,
        report: TelemetryDiagnosticsHandler?, show: @escaping @MainActor (TelemetrySettings) -> Void
    ) {
        self.store = store
        self.note = note
        self.marker = marker
        self.coordinator = coordinator
        self.calls = calls
        queue = OperationQueue(executor: executor)
        self.report = report
        self.show = show
    }

    /// Whether a client's events may be sent, as the shared settings say now. Waits for nothing but the store.
    var consentCheck: @Sendable (_ clientId: String?) async -> Bool {
        { [store, marker] clientId in
            if marker?.isPlaced == true { return false }
            let settings =
                if let store = store as? any TelemetrySettingsCaching { await store.current() } else { await store.load() }
            return settings.telemetryRequested && settings.telemetrySendingEnabled && settings.clientIdentifier == clientId
        }
    }

    /// Reads what is stored: another process may have changed it.
    func load() async { await queue.perform { await self.read() } }

    /// Changes the settings, in the store first: there another process may have changed other parts meanwhile, which stay.
    func change(_ transform: @escaping Transform) async { await queue.perform { await self.apply(transform) } }

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

    /// Changes the settings, unless the person has opted out since the decision.
    /// - Returns: whether the decision still held.
    func change(by decision: ConsentDecision, _ transform: @escaping Transform) async -> Bool {
        let holds = Mutex(false)
        let consent = consent
        await queue.perform { [self] in
            let (count, stored) = (decision.count, decision.stored)
            // Where the store did not take the opt-out, what it says is from before.
            let isHeldOff = isHeldOff
            await apply { settings in
                if isHeldOff, settings.telemetryRequested { settings.optOut() }
                let isSo = consent.now == count && (isHeldOff || settings.optOuts == stored)
                holds.withLock { $0 = isSo }
                if isSo { transform(&settings) }
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
            await self.recordOptOut { settings in
                settings.optOut()
                for clientId in clients { settings.oweDeparture(of: clientId) }
            }
            done()
        }
    }

    private func recordOptOut(_ transform: @escaping Transform) async {
        if !hasLoaded { await read() }
        isHeldOff = true
        if let store = store as? any TelemetryOptOutRecording {
            await apply(transform) { self.isHeldOff = !(await store.recordOptOut($0)) }
        } else {
            await apply(transform)
            isHeldOff = await store.load().telemetryRequested
        }
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
            return await recordOptOut { if $0.telemetryRequested || $0.clientIdentifier != nil { $0.optOut() } }
        }
        var stored = await store.load()
        if !hasLoaded {
            hasLoaded = true
            let noted = await note.read()
            isForgetful = !noted.isEmpty
            if isForgetful { stored.obligations = noted }
        } else if isForgetful {
            stored.obligations = settings.obligations
        }
        settings = stored
        if marker?.isPlaced == true { return await recordOptOut { $0.optOut() } }
        show(settings)
    }

    /// - Parameter write: How it gets into the store, if not as an update.
    private func apply(_ transform: @escaping Transform, write: (@MainActor (@escaping Transform) async -> Void)? = nil) async {
        let isBackedUp = coordinator != nil
        @Sendable func changed(_ settings: TelemetrySettings) -> TelemetrySettings {
            var next = settings
            transform(&next)
            // Whoever opted out meanwhile has the last word.
            if !next.telemetryRequested { next.telemetrySendingEnabled = false }
            if isBackedUp, next != settings { next.obligations.backup = true }
            return next
        }
        let remembered = isForgetful ? settings.obligations : nil
        let result = Mutex<TelemetrySettings?>(nil)
        let update: Transform = { stored in
            if let remembered { stored.obligations = remembered }
            stored = changed(stored)
            result.withLock { [stored] in $0 = stored }
        }
        if let write { await write(update) } else { await store.update(update) }
        // Not what the store returns: a store that fails must not bring back a consent that was withdrawn.
        await take(result.withLock(\.self) ?? changed(settings))
    }

    private func take(_ next: TelemetrySettings) async {
        if !isForgetful, !next.obligations.isEmpty, !(store is any TelemetryOptOutRecording) {
            isForgetful = await store.load().obligations.isEmpty
        }
        if isForgetful { await note.write(next.obligations) }
        settings = next
        show(next)
    }
}

// MARK: Backup

extension SettingsKeeper {
    /// An older backup may have replaced a newer one: it is made again.
    func doubtBackup() async {
        if coordinator != nil { await change { $0.obligations.backup = true } }
    }

    /// Takes over what the backup held, unless what is here is newer. The person came back: what was still to be deleted of that
    /// client stays.
    /// - Parameter decision: From before the backup was read.
    func restore(_ backup: TelemetrySettings, by decision: ConsentDecision) async {
        _ = await change(by: decision) { settings in
            guard !settings.telemetryRequested, !settings.obligations.backup else { return }
            settings.telemetryRequested = backup.telemetryRequested
            settings.telemetrySendingEnabled = backup.telemetrySendingEnabled
            settings.clientIdentifier = backup.clientIdentifier
            settings.obligations.registration = backup.obligations.registration
            for cleanup in backup.obligations.cleanups { settings.obligations.add(cleanup) }
            settings.obligations.cleanups.removeAll { $0.clientId == backup.clientIdentifier && $0.sessionEnd == nil }
        }
    }

    /// Backs up what the backup does not know yet. A failure is told and tried again after the next operation.
    func backUp() async {
        guard let coordinator, settings.obligations.backup else { return }
        let copy = settings.backedUp
        do {
            try await calls.call(.backup) { try await coordinator.backupSettings(copy) }
            await change { if $0 == copy { $0.obligations.backup = false } }
        } catch {
            report?(.init(kind: .storageFailed, message: "The settings could not be backed up: \(error.inWords)"))
        }
    }
}

extension TelemetrySettings {
    /// What a backup holds: settings that owe it nothing.
    fileprivate var backedUp: Self {
        var copy = self
        copy.obligations.backup = false
        return copy
    }
}
