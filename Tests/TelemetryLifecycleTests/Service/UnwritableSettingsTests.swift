import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Opt-outs with unreadable or unwritable settings: they are recorded in another place, or the status has the error.
@MainActor
final class UnwritableSettingsTests {
    private let root = TemporaryDirectory()
    private var directory: URL { root.url.appending(path: "state") }
    private var spool: URL { root.url.appending(path: "spool") }
    private let transport = MockTelemetryTransport()
    private var logger = MockTelemetryLogger()

    init() async throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        await FileTelemetrySettingsStore(directory: directory).save(TelemetryFixtures.approvedSettings)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        try await transport.store.append(TelemetryFixtures.events(1...3))
    }

    /// A started process of the app.
    private func start() async -> TelemetryLifecycleService {
        var configuration = TelemetryLifecycleService.Configuration(
            operationTimeout: .seconds(10), reconcileInterval: nil, clock: ManualClock(), now: { TelemetryFixtures.date })
        configuration.loggerConfiguration.spoolDirectory = spool
        logger = MockTelemetryLogger()
        let service = TelemetryLifecycleService(
            settingsStore: FileTelemetrySettingsStore(directory: directory), transport: transport,
            configuration: configuration, logger: logger,
            scenarioStore: FileTelemetryScenarioStore(directory: directory))
        await service.startup()
        await service.restorationFinished()
        return service
    }

    /// Replaces a file with a directory, which can be neither opened nor removed as a file.
    private func block(_ name: String) throws {
        let place = directory.appending(path: name)
        try? FileManager.default.moveItem(at: place, to: root.url.appending(path: name))
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    }

    private func unblock(_ name: String) throws {
        let place = directory.appending(path: name)
        try FileManager.default.removeItem(at: place)
        if FileManager.default.fileExists(atPath: root.url.appending(path: name).path(percentEncoded: false)) {
            try FileManager.default.moveItem(at: root.url.appending(path: name), to: place)
        }
    }

    private func expectOff(_ service: TelemetryLifecycleService) async throws {
        #expect(service.settings == .defaults)
        #expect(await logger.isEnabled == false)
        #expect(try await transport.store.countEvents() == 0)
        #expect(try await transport.store.fetchTelemetryClients().isEmpty)
    }

    @Test("An opt-out with unreadable settings holds after a restart, and the client is deleted")
    func unreadable() async throws {
        try block("settings.json")
        let service = await start()
        await service.disableTelemetry()
        #expect(service.status == .disabled)
        try unblock("settings.json")
        try await expectOff(start())
    }

    @Test("An opt-out with unwritable settings and an offline store holds after a restart, and the client is deleted")
    func unwritable() async throws {
        let service = await start()
        try #require(service.status == .enabled)
        try block("settings.lock")
        transport.isOffline = true
        await service.disableTelemetry()
        #expect(service.status.errorMessage?.contains("could not be stored") == false)
        try unblock("settings.lock")
        transport.isOffline = false
        try await expectOff(start())
        try await expectOff(start())
    }

    @Test("An opt-out holds after a restart with settings that are still unwritable")
    func stillUnwritable() async throws {
        let service = await start()
        try block("settings.lock")
        // An online store would disable a client whose record is missing.
        transport.isOffline = true
        await service.disableTelemetry()
        let again = await start()
        #expect(again.settings == .defaults)
        #expect(await logger.isEnabled == false)
    }

    @Test("If no file can be created next to the settings, an opt-out removes the settings")
    func removed() async throws {
        let service = await start()
        try block("settings.lock")
        try block("settings.opted-out")
        transport.isOffline = true
        await service.disableTelemetry()
        #expect(service.status.errorMessage?.contains("could not be stored") == false)
        let again = await start()
        #expect(again.settings == .defaults)
        #expect(await logger.isEnabled == false)
    }

    @Test("If nothing can be written in the settings' directory, an opt-out is recorded in the spool's")
    func spoolDirectory() async throws {
        let service = await start()
        for name in ["settings.lock", "settings.opted-out", "settings.json"] { try block(name) }
        await service.disableTelemetry()
        #expect(service.status.errorMessage == nil)
        for name in ["settings.lock", "settings.opted-out", "settings.json"] { try unblock(name) }
        try await expectOff(start())
        #expect(try FileManager.default.contentsOfDirectory(atPath: spool.path(percentEncoded: false)).isEmpty)
    }

    @Test("While the settings cannot be written, the user can opt in again after a restart")
    func optsInAgain() async throws {
        let service = await start()
        for name in ["settings.lock", "settings.opted-out", "settings.json"] { try block(name) }
        await service.disableTelemetry()
        let again = await start()
        #expect(again.settings == .defaults)
        await again.enableTelemetry()
        #expect(again.settings.telemetryRequested)
        #expect(again.status == .pendingApproval)
    }

    @Test("An opt-out that cannot be recorded is in the status, holds in the process, and is recorded once possible")
    func nowhere() async throws {
        let service = await start()
        for name in ["settings.lock", "settings.opted-out", "settings.json"] { try block(name) }
        try Data().write(to: spool)
        await service.disableTelemetry()
        #expect(service.status.errorMessage?.contains("could not be stored") == true)
        await service.reconcile()
        #expect(service.status.errorMessage?.contains("could not be stored") == true)
        #expect(service.settings == .defaults)
        #expect(await logger.isEnabled == false)
        for name in ["settings.lock", "settings.opted-out", "settings.json"] { try unblock(name) }
        await service.reconcile()
        #expect(service.status == .disabled)
        try await expectOff(start())
    }

    @Test("A new opt-in ends an opt-out that was recorded in another place")
    func again() async throws {
        let service = await start()
        try block("settings.lock")
        transport.isOffline = true
        await service.disableTelemetry()
        try unblock("settings.lock")
        let next = await start()
        await next.enableTelemetry()
        let clientId = try #require(next.settings.clientIdentifier)
        // A new client, not the one that was opted out.
        #expect(clientId != TelemetryFixtures.clientId)
        transport.isOffline = false
        let again = await start()
        #expect(again.settings.clientIdentifier == clientId)
        #expect(again.status == .pendingApproval)
        #expect(try await transport.store.countEvents() == 0)
    }
}
