import TelemetryModels
import TelemetryPersistence
import Testing

@testable import TelemetryLifecycle

@MainActor
struct ConsentStoresTests {
    @Test(
        "Pending work that cannot be written is embedded, however often another process changes the settings",
        arguments: [0, 1, 100])
    func conflicts(count: Int) async {
        let settings = ContestedStore(conflicts: count)
        let stores = ConsentStores(settings: settings, work: UnwritableWork())
        _ = await stores.update { $0.handle(.optedIn(client: "new")) }
        let document = await settings.loadDocument()
        #expect(document.settings.clientIdentifier == "new")
        #expect(document.embeddedWork.registrations == ["new"])
    }
}

/// Settings that another process changes before each of the first changes.
private actor ContestedStore: TelemetrySettingsStoring, SettingsDocumentStoring {
    private var document = SettingsDocument()
    private var conflicts: Int

    init(conflicts: Int) { self.conflicts = conflicts }

    nonisolated var keepsDocument: Bool { true }
    func loadDocument() -> SettingsDocument { document }
    func currentDocument() -> SettingsDocument { document }
    func changeDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) {
        if conflicts > 0 {
            conflicts -= 1
            document.optOuts += 1
        }
        transform(&document)
    }
    func recordOptOutInDocument(_ transform: @Sendable (inout SettingsDocument) -> Void) -> Bool {
        changeDocument(transform)
        return true
    }

    func load() -> TelemetrySettings { document.settings }
    func save(_ settings: TelemetrySettings) -> TelemetrySettings { update { $0 = settings } }
    func reset() -> TelemetrySettings { update { $0 = .defaults } }
    func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) -> TelemetrySettings {
        changeDocument { transform(&$0.settings) }
        return document.settings
    }
}

/// Pending work that is kept in memory, because it cannot be written.
private actor UnwritableWork: TelemetryPendingWorkStoring {
    private var work = TelemetryPendingWork()

    var isPendingWorkSaved: Bool { false }
    func loadPendingWork() -> TelemetryPendingWork { work }
    func removePendingWork() { work = TelemetryPendingWork() }
    func updatePendingWork(_ transform: @Sendable (inout TelemetryPendingWork) -> Void) -> TelemetryPendingWork {
        transform(&work)
        return work
    }
}
