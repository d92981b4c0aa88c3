import TelemetryModels
import TelemetryPersistence

/// The settings as they are here, kept in the store and in the backup.
@MainActor
final class SettingsKeeper {
    private(set) var settings = TelemetrySettings.defaults
    private let store: any TelemetrySettingsStoring
    private let coordinator: TelemetrySettingsSyncCoordinator?
    private let calls: BoundedCalls
    private let show: @MainActor (TelemetrySettings) -> Void
    private let report: TelemetryDiagnosticsHandler?

    init(
        store: any TelemetrySettingsStoring, coordinator: TelemetrySettingsSyncCoordinator?, calls: BoundedCalls,
        report: TelemetryDiagnosticsHandler?, show: @escaping @MainActor (TelemetrySettings) -> Void
    ) {
        self.store = store
        self.coordinator = coordinator
        self.calls = calls
        self.report = report
        self.show = show
    }

    /// Reads what is stored: another process may have changed it.
    func load() async {
        let stored = await store.load()
        // A store that knows the documents' fields alone loses what is owed; what is known here still holds.
        let obligations = stored.obligations.isEmpty ? settings.obligations : stored.obligations
        settings = stored
        settings.obligations = obligations
        show(settings)
    }

    /// Changes the settings, in the store first.
    func change(_ transform: (inout TelemetrySettings) -> Void) async {
        var next = settings
        transform(&next)
        if coordinator != nil, next != settings { next.obligations.backup = true }
        guard next != settings || next.obligations != settings.obligations else { return }
        if next == .defaults, next.obligations.isEmpty { await store.reset() } else { await store.save(next) }
        settings = next
        show(next)
    }

    /// Takes over what the backup held. The person came back: what was still to be deleted of that client stays.
    func restore(_ backup: TelemetrySettings) async {
        var next = backup
        next.obligations.backup = false
        next.obligations.cleanups += settings.obligations.cleanups
        next.obligations.cleanups.removeAll { $0.clientId == backup.clientIdentifier && $0.sessionEnd == nil }
        await store.save(next)
        settings = next
        show(next)
    }

    /// Backs up what the backup does not know yet. A failure is told and tried again after the next operation.
    func backUp() async {
        guard let coordinator, settings.obligations.backup else { return }
        let copy = settings.backedUp
        do {
            try await calls.call { try await coordinator.backupSettings(copy) }
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
