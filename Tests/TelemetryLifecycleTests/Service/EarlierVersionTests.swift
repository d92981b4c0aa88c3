import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// A host of version 0.1.0, killed with a pending deletion and 40 undelivered events.
@MainActor
struct EarlierVersionTests {
    private let clientId = "kas3n9hxud"
    private let temporary = TemporaryDirectory()
    private var directory: URL { temporary.url }

    init() throws {
        let fixture = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/Version0.1.0")
        try FileManager.default.copyItem(at: fixture, to: directory)
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) + [""] {
            let url = directory.appending(path: path)
            let isDirectory = try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
            try FileManager.default.setAttributes([.posixPermissions: isDirectory ? 0o700 : 0o600], ofItemAtPath: url.path)
        }
    }

    @Test("A host of version 0.1.0 keeps client, approval and states, delivers its spooled events and completes its deletion")
    func goesOn() async throws {
        let store = try FileTelemetryTransport(directory: directory.appending(path: "store"))
        // An event of the session that is to be deleted.
        try await store.append([
            TelemetryEvent(
                clientId: clientId, sessionId: "ended", name: "old", timestamp: Date(timeIntervalSince1970: 1_790_000_000))
        ])
        let service = makeService(store)
        await service.startup()
        await service.restorationFinished()
        #expect(
            service.settings
                == TelemetrySettings(
                    telemetryRequested: true, telemetrySendingEnabled: true, clientIdentifier: clientId))
        #expect(service.status == .enabled)
        #expect(service.reconciliation == .localAndServerEnabled)
        try await service.registerScenarios(["Checkout", "NetworkRequests"])
        #expect(service.scenarioStates == ["Checkout": true, "NetworkRequests": false])
        service.telemetryLogger.logEvent(name: "after", scenario: "Checkout")
        await service.telemetryLogger.flush()
        await service.reconcile()
        #expect(!service.hasPendingWork)
        await service.shutdown()

        let events = try await store.fetchAllEvents().filter { $0.clientId == clientId }
        #expect(events.map(\.name) == (1...40).map { "waiting.\($0)" } + ["after"])
        #expect(events.prefix(40).map(\.sequence) == (1...40).map { UInt64($0) })
        #expect(Set(events.prefix(40).map(\.sessionId)).count == 1)
        #expect(events.prefix(40).map(\.property1) == (1...40).map { "number \($0)" })
        #expect(events[3].attributes == ["n": 4])
        #expect(try await store.countEvents(matching: .init(clientId: "alpha")) == 30)
        var recorded: [String: Bool] = [:]
        for record in try await store.fetchScenarios(forClient: clientId) {
            recorded[record.scenarioName] = record.isEnabled
        }
        #expect(recorded == ["Checkout": true, "NetworkRequests": false])
        let spool = directory.appending(path: "state/spool").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: spool).filter { $0.hasSuffix(".segment") } == [])
    }

    @Test("A backup of version 0.1.0 is restored")
    func backup() async throws {
        let store = try FileTelemetryTransport(directory: directory.appending(path: "store"))
        try FileManager.default.removeItem(at: directory.appending(path: "state"))
        let service = makeService(store)
        await service.startup()
        let expected = TelemetrySettings(
            telemetryRequested: true, telemetrySendingEnabled: true, clientIdentifier: clientId)
        #expect(await service.restoreFromBackup() == .restored(expected))
        #expect(service.status == .enabled)
        #expect(service.settings == expected)
        await service.shutdown()
    }

    private func makeService(_ store: FileTelemetryTransport) -> TelemetryLifecycleService {
        let state = directory.appending(path: "state")
        return TelemetryLifecycleService(
            settingsStore: FileTelemetrySettingsStore(directory: state), transport: store,
            configuration: .init(
                loggerConfiguration: .init(spoolDirectory: state.appending(path: "spool")), reconcileInterval: nil,
                clock: ManualClock()),
            syncCoordinator: TelemetrySettingsSyncCoordinator(
                backupClient: FileTelemetrySettingsBackup(directory: directory.appending(path: "backup"))),
            scenarioStore: FileTelemetryScenarioStore(directory: state))
    }
}
