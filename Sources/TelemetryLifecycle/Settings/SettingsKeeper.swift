import Synchronization
import TelemetryModels
import TelemetryPersistence

/// The settings as they are here, kept in the store and in the backup.
@MainActor
final class SettingsKeeper {
    private(set) var settings = TelemetrySettings.defaults
    private let store: any TelemetrySettingsStoring
    private let coordinator: TelemetrySettingsSyncCoordinator?
    private let note: ObligationsNote
    private let calls: BoundedCalls
    private var hasLoaded = false
    /// Whether the store was seen to lose what is owed.
    private var isForgetful = false
    private let show: @MainActor (TelemetrySettings) -> Void
    private let report: TelemetryDiagnosticsHandler?

    init(
        store: any TelemetrySettingsStoring, note: ObligationsNote,
        coordinator: TelemetrySettingsSyncCoordinator?, calls: BoundedCalls,
        report: TelemetryDiagnosticsHandler?, show: @escaping @MainActor (TelemetrySettings) -> Void
    ) {
        self.store = store
        self.note = note
        self.coordinator = coordinator
        self.calls = calls
        self.report = report
        self.show = show
    }

    /// Reads what is stored: another process may have changed it.
    func load() async {
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
        show(settings)
    }

    /// Changes the settings, in the store first: there another process may have changed other parts meanwhile, which stay.
    func change(_ transform: @escaping @Sendable (inout TelemetrySettings) -> Void) async {
        let isBackedUp = coordinator != nil
        @Sendable func changed(_ settings: TelemetrySettings) -> TelemetrySettings {
            var next = settings
            transform(&next)
            // Whoever opted out meanwhile has the last word.
            if !next.telemetryRequested { next.telemetrySendingEnabled = false }
            if isBackedUp, next != settings { next.obligations.backup = true }
            return next
        }
        let expected = changed(settings)
        guard expected != settings || expected.obligations != settings.obligations else { return }
        let remembered = isForgetful ? settings.obligations : nil
        let result = Mutex(expected)
        await store.update { stored in
            if let remembered { stored.obligations = remembered }
            stored = changed(stored)
            result.withLock { [stored] in $0 = stored }
        }
        // Not what the store returns: a store that fails must not bring back a consent that was withdrawn.
        let next = result.withLock { $0 }
        if next == .defaults, next.obligations.isEmpty { await store.reset() }
        await take(next)
    }

    private func take(_ next: TelemetrySettings) async {
        if !isForgetful, !next.obligations.isEmpty { isForgetful = await store.load().obligations.isEmpty }
        if isForgetful { await note.write(next.obligations) }
        settings = next
        show(next)
    }

    /// An older backup may have replaced a newer one: it is made again.
    func doubtBackup() async {
        if coordinator != nil { await change { $0.obligations.backup = true } }
    }

    /// Takes over what the backup held. The person came back: what was still to be deleted of that client stays.
    func restore(_ backup: TelemetrySettings) async {
        var next = backup
        next.obligations.backup = false
        for cleanup in settings.obligations.cleanups { next.obligations.add(cleanup) }
        next.obligations.cleanups.removeAll { $0.clientId == backup.clientIdentifier && $0.sessionEnd == nil }
        await store.save(next)
        await take(next)
    }

    /// Backs up what the backup does not know yet. A failure is told and tried again after the next operation.
    func backUp() async {
        guard let coordinator, settings.obligations.backup else { return }
        let copy = settings.backedUp
        do {
            try await calls.call(.backup) { try await coordinator.backupSettings(copy) }
            await change { $0.obligations.backup = false }
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
