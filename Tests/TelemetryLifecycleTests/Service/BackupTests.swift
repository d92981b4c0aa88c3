import Foundation
import Synchronization
import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct BackupTests {
    private let backup = RecordedBackup()

    private func makeHost(settings: TelemetrySettings = .defaults, server: Bool? = nil) async throws -> TestHost {
        try await TestHost(
            settings: settings, server: server, coordinator: TelemetrySettingsSyncCoordinator(backupClient: backup))
    }

    @Test("A device that never opted in does not use the backup")
    func neverOptedIn() async throws {
        let host = try await makeHost()
        await host.comeUp()
        await host.service.disableTelemetry()
        try await host.service.registerScenarios(["A"])
        await host.service.reconcile()
        #expect(backup.calls == 0)
    }

    @Test("Every change of the settings is backed up")
    func everyChange() async throws {
        let host = try await makeHost()
        await host.service.enableTelemetry()
        #expect(backup.saved.last == TelemetrySettings(telemetryRequested: true, clientIdentifier: TestHost.clientId))
        try await host.setServer(enabled: true)
        await host.service.reconcile()
        #expect(backup.saved.last == TelemetryFixtures.approvedSettings)
        await host.service.disableTelemetry()
        #expect(backup.saved.last == .defaults)
        let count = backup.saved.count
        await host.service.reconcile()
        #expect(backup.saved.count == count, "nothing changed")
    }

    @Test("A failed backup is reported, does not fail the operation, and is repeated later, even after a restart")
    func fails() async throws {
        let host = try await makeHost()
        backup.isFailing = true
        await host.service.enableTelemetry()
        #expect(host.service.status == .pendingApproval)
        #expect(host.told.all.contains { $0.kind == .storageFailed })
        backup.isFailing = false
        host.restart()
        await host.comeUp()
        #expect(backup.saved.last == TelemetrySettings(telemetryRequested: true, clientIdentifier: TestHost.clientId))
    }

    @Test("A backup that completes after its time limit is made again")
    func lateBackup() async throws {
        let host = try await makeHost()
        backup.gate.close()
        async let on = host.service.enableTelemetry()
        await backup.gate.waiters()
        await host.clock.sleepers(atLeast: 1)
        host.clock.advance(by: .seconds(10))
        _ = await on
        async let off = host.service.disableTelemetry()
        await backup.gate.waiters(atLeast: 2)
        await host.clock.sleepers(atLeast: 1)
        host.clock.advance(by: .seconds(10))
        #expect(await off == .defaults)
        #expect(backup.saved.isEmpty)
        backup.gate.open()
        // The two late saves, and the one that corrects them.
        var saves = backup.saves.makeAsyncIterator()
        for _ in 1...3 { _ = await saves.next() }
        await host.service.reconcile()
        #expect(backup.saved.last == .defaults)
        #expect(!host.service.hasPendingWork)
    }

    @Test("Startup alone does not restore a backup")
    func neverByItself() async throws {
        backup.content = TelemetryFixtures.approvedSettings
        let host = try await makeHost(server: true)
        await host.comeUp()
        #expect(host.service.settings == .defaults)
        #expect(backup.calls == 0)
    }

    @Test("After a reinstallation the host restores the settings, and the service starts with them")
    func restores() async throws {
        backup.content = TelemetryFixtures.approvedSettings
        let host = try await makeHost(server: true)
        await host.comeUp()
        #expect(await host.service.restoreFromBackup() == .restored(TelemetryFixtures.approvedSettings))
        #expect(host.service.settings == TelemetryFixtures.approvedSettings)
        #expect(await host.settingsStore.load() == TelemetryFixtures.approvedSettings)
        #expect(host.service.status == .enabled)
        #expect(await host.logger.isEnabled == true)
        #expect(host.service.isProcessingCommands)
        #expect(!host.service.isRestorationInProgress)
    }

    @Test("A backup does not overwrite settings that are requested")
    func neverOverNewer() async throws {
        let host = try await makeHost()
        await host.service.enableTelemetry()
        backup.content = TelemetrySettings(telemetryRequested: true, telemetrySendingEnabled: true, clientIdentifier: "older")
        await host.service.restoreFromBackup()
        #expect(host.service.settings.clientIdentifier == TestHost.clientId)
        #expect(backup.loads == 0)
    }

    @Test("An opt-out that was not backed up has precedence over the backup")
    func neverOverOptOut() async throws {
        let host = try await makeHost()
        await host.service.enableTelemetry()
        backup.isFailing = true
        await host.service.disableTelemetry()
        backup.isFailing = false
        host.restart()
        await host.service.restoreFromBackup()
        #expect(host.service.settings == .defaults)
        #expect(backup.saved.last == .defaults)
    }

    @Test("Nothing changes without a coordinator, without a backup, or with an unreadable one")
    func nothingToRestore() async throws {
        let without = try await TestHost()
        #expect(await without.service.restoreFromBackup() == .fresh)
        let host = try await makeHost()
        #expect(await host.service.restoreFromBackup() == .fresh)
        backup.isFailing = true
        guard case .failed = await host.service.restoreFromBackup() else {
            Issue.record("the restore did not fail")
            return
        }
        #expect(host.service.settings == .defaults)
        #expect(host.transport.calls.isEmpty)
    }

    @Test("A backup of settings that were off starts nothing")
    func restoresOff() async throws {
        backup.content = .defaults
        let host = try await makeHost()
        #expect(await host.service.restoreFromBackup() == .restored(.defaults))
        #expect(host.service.settings == .defaults)
        #expect(host.transport.calls.isEmpty)
    }

    @Test("A backup without consent does not enable sending")
    func malformed() async throws {
        backup.content = TelemetrySettings(telemetrySendingEnabled: true, clientIdentifier: TestHost.clientId)
        let host = try await makeHost(server: true)
        await host.service.restoreFromBackup()
        #expect(host.service.settings == .defaults)
        #expect(await host.logger.isEnabled != true)
    }

    /// Opts out on an installation that cannot reach the store.
    @discardableResult
    private func optOutOffline() async throws -> TestHost {
        let host = try await makeHost(settings: TelemetryFixtures.approvedSettings, server: true)
        await host.comeUp()
        host.transport.isOffline = true
        await host.service.disableTelemetry()
        return host
    }

    @Test("A deletion that an installation could not make is made by the next one, from the backup")
    func deletions() async throws {
        try await optOutOffline()
        #expect(backup.work.deletions.map(\.clientId) == [TestHost.clientId])
        backup.content = TelemetrySettings(telemetryRequested: true, clientIdentifier: "next")
        let another = try await makeHost(server: true)
        try await another.transport.store.createTelemetryClient(TelemetryFixtures.client("next", isEnabled: true))
        await another.comeUp()
        await another.service.restoreFromBackup()
        #expect(another.service.settings.clientIdentifier == "next")
        #expect(try await another.client == nil)
    }

    @Test("A backup after an opt-out opts nobody in, and its deletion is made")
    func deletionOnly() async throws {
        try await optOutOffline()
        #expect(backup.content == .defaults)
        let another = try await makeHost(server: true)
        await another.comeUp()
        #expect(await another.service.restoreFromBackup() == .restored(.defaults))
        #expect(another.service.settings == .defaults)
        #expect(another.service.status == .disabled)
        #expect(try await another.client == nil)
    }

    @Test("A restored client whose deletion is still pending is not deleted")
    func comesBack() async throws {
        let host = try await optOutOffline()
        host.transport.isOffline = false
        backup.content = TelemetryFixtures.approvedSettings
        await host.service.restoreFromBackup()
        #expect(host.service.status == .enabled)
        #expect(try await host.client?.isEnabled == true)
    }
}

/// A backup in memory that counts its calls.
private final class RecordedBackup: TelemetrySettingsBackingUp {
    private struct State {
        var content: TelemetrySettings?
        var work = TelemetryPendingWork()
        var saved: [TelemetrySettings] = []
        var loads = 0
        var calls = 0
        var isFailing = false
    }

    private let state = Mutex(State())
    /// Saves wait here, even if they are cancelled.
    let gate = TestGate()
    /// An element for every completed save.
    let saves: AsyncStream<Void>
    private let landed: AsyncStream<Void>.Continuation

    init() { (saves, landed) = AsyncStream.makeStream() }

    var content: TelemetrySettings? {
        get { state.withLock(\.content) }
        set { state.withLock { $0.content = newValue } }
    }
    var work: TelemetryPendingWork { state.withLock(\.work) }
    var isFailing: Bool {
        get { state.withLock(\.isFailing) }
        set { state.withLock { $0.isFailing = newValue } }
    }
    var saved: [TelemetrySettings] { state.withLock(\.saved) }
    var loads: Int { state.withLock(\.loads) }
    var calls: Int { state.withLock(\.calls) }

    func saveSettings(_ settings: TelemetrySettings) async throws {
        try await saveSettings(settings, pendingWork: TelemetryPendingWork())
    }

    func saveSettings(_ settings: TelemetrySettings, pendingWork: TelemetryPendingWork) async throws {
        await Task { [gate] in try? await gate.pass() }.value
        try count { state in
            state.content = settings
            state.work = pendingWork
            state.saved.append(settings)
        }
        landed.yield()
    }

    func loadSettings() async throws -> TelemetrySettings? {
        try count { state in
            state.loads += 1
            return state.content
        }
    }

    func loadPendingWork() async throws -> TelemetryPendingWork { work }

    func clearSettings() async throws {
        try count { state in
            state.content = nil
            state.work = TelemetryPendingWork()
        }
    }

    private func count<Value: Sendable>(_ body: (inout sending State) -> Value) throws -> Value {
        try state.withLock { state in
            state.calls += 1
            if state.isFailing { throw MockTelemetryTransport.unavailable }
            return body(&state)
        }
    }
}
