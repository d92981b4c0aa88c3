import CloudKit
import CloudKitWorld
import FakeCloudKitServer
import Foundation
import TelemetryCloudKit
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import TelemetryUI
import Testing

/// A client's service and a viewer with the fake server and the schema file's roles, performing random actions while requests
/// fail and pushes get lost. In the end all states must agree.
@MainActor
@Suite(.serialized)
struct LifecycleTests {
    /// `SIMULATION_SEED` runs one seed alone.
    nonisolated static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["SIMULATION_SEED"].flatMap(UInt64.init).map { [$0] } ?? Array(1...40)

    @Test("After random faults client and server agree in the end, and no other client's data is affected", arguments: seeds)
    func agreement(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let life = try await Life()
        for _ in 0..<60 { await life.step(&random) }
        try await life.settle()
        try await life.check("seed \(seed)")
        await life.service.shutdown()
    }

    @Test("A command arrives as a push, and is run and marked by a client that may not change commands")
    func command() async throws {
        let life = try await Life()
        await life.service.enableTelemetry()
        let clientId = try #require(life.service.settings.clientIdentifier)
        #expect(life.service.status == .pendingApproval)
        let id = try #require(
            try await life.viewer.createCommand(.init(clientId: clientId, action: .enable)).recordID)
        let payload = StandInSession.userInfo(
            of: ServerPush(subscription: "TelemetryCommand-\(clientId)", record: id.recordName, isSilent: true))
        #expect(await life.service.handleRemoteNotification(payload))
        #expect(life.service.status == .enabled)
        #expect(try await life.viewer.fetchCommand(recordID: id)?.status == .executed)
        #expect(try await life.viewer.fetchTelemetryClients(clientId: clientId).map(\.isEnabled) == [true])
        await life.service.shutdown()
    }
}

extension LifecycleTests {
    @Test("Another user's receipt for a command delays neither later commands nor an opt-out", arguments: [false, true])
    func forgedReceipt(reportsForbidden: Bool) async throws {
        let life = try await Life()
        // Without pushes the client does not run a command before the other user's receipt.
        life.world.server.configure { ($0.reportsForbidden, $0.pushes) = (reportsForbidden, .dropped) }
        await life.service.enableTelemetry()
        let clientId = try #require(life.service.settings.clientIdentifier)
        var commands: [TelemetryRecord.ID] = []
        for (index, action) in [TelemetrySchema.CommandAction.enable, .deleteEvents].enumerated() {
            let command = TelemetryFixtures.command(
                action, commandId: "\(index)", clientId: clientId, age: 10 - Double(index))
            commands.append(try #require(try await life.viewer.createCommand(command).recordID))
        }
        try await life.world.transport(user: "stranger").updateCommandStatus(recordID: commands[0], status: .failed)
        await life.service.reconcile()
        #expect(life.service.status == .enabled)
        #expect(try await life.viewer.fetchCommand(recordID: commands[1])?.status == .executed)
        await life.service.disableTelemetry()
        #expect(life.service.status == .disabled)
        await life.service.shutdown()
    }
}

extension LifecycleTests {
    @Test("Events that are logged while the server throttles reach the viewer in order, each once")
    func logging() async throws {
        let life = try await Life()
        let logger = TelemetryLogger(configuration: .init(batchSize: 100), transport: life.client, clock: ManualClock())
        await logger.setClientIdentifier("c")
        await logger.activate(enabled: true)
        life.world.server.configure { $0.creationSpread = 0.02 }
        for number in 0..<1_000 { logger.logEvent(name: "e", property1: "\(number)") }
        life.world.server.failNextOperations([
            ServerFault(code: FaultCode.requestRateLimited, message: "slow down", retryAfter: 1),
            ServerFault(code: FaultCode.serverResponseLost, message: "lost"),
        ])
        for _ in 0..<3 { await logger.flush() }
        var read: [TelemetryEvent] = []
        var cursor: TelemetryCursor?
        var hasMore = true
        while hasMore {
            let page = try await life.viewer.events(matching: .init(clientId: "c"), after: cursor, limit: 1_000)
            read += page.events
            (cursor, hasMore) = (page.cursor, page.hasMore)
        }
        #expect(read.map(\.property1) == (0..<1_000).map { "\($0)" })
        #expect(read.map(\.sequence) == read.map(\.sequence).sorted())
        await logger.shutdown()
    }
}

/// One run of the simulation.
@MainActor
private final class Life {
    let world: World
    let viewer: CloudKitTransport
    let client: CloudKitTransport
    let service: TelemetryLifecycleService
    private var clients: Set<String> = []

    init() async throws {
        let world = try World.deployed()
        self.world = world
        world.server.assign(CloudKitSchemaFile.viewerRole, to: "viewer")
        viewer = world.transport(user: "viewer", device: "desk")
        client = world.transport(user: "client", device: "phone")
        service = TelemetryLifecycleService(
            settingsStore: InMemoryTelemetrySettingsStore(), transport: client, configuration: .init(reconcileInterval: nil),
            logger: MockTelemetryLogger(), scenarioStore: InMemoryTelemetryScenarioStore())
        let bystander = world.transport(user: "bystander", device: "tablet")
        try await bystander.createTelemetryClient(clientId: "bystander", isEnabled: true)
        try await bystander.createScenarios([TelemetryFixtures.scenario("Network", clientId: "bystander")])
        try await bystander.append([TelemetryEvent(eventId: "theirs", clientId: "bystander", sessionId: "s", name: "n")])
        await service.startup()
    }

    func step(_ random: inout SeededGenerator) async {
        if let clientId = service.settings.clientIdentifier { clients.insert(clientId) }
        let clientId = service.settings.clientIdentifier
        let name = ["Network", "Checkout", "Sync"].randomElement(using: &random) ?? "Network"
        switch Int.random(in: 0..<16, using: &random) {
        case 0...2: await service.enableTelemetry()
        case 3: await service.disableTelemetry()
        case 4: await service.reconcile()
        case 5: try? await service.registerScenarios([name])
        case 6: try? await service.setScenarioEnabled(name, enabled: Bool.random(using: &random))
        case 7...10:
            guard let clientId else { return }
            let action = TelemetrySchema.CommandAction.allCases.randomElement(using: &random) ?? .enable
            _ = try? await viewer.createCommand(.init(clientId: clientId, action: action, scenarioName: name))
        case 11:
            guard let clientId else { return }
            try? await client.append([TelemetryEvent(clientId: clientId, sessionId: "s", name: "n")])
        case 12:
            let faults = [FaultCode.networkUnavailable, FaultCode.requestRateLimited, FaultCode.zoneBusy]
            let count = Int.random(in: 1...3, using: &random)
            world.server.failNextOperations(
                (0..<count).map { _ in ServerFault(code: faults.randomElement(using: &random) ?? 3, message: "for now") })
        case 13:
            let pushes = [FakeCloudKitServer.Pushes.delivered, .dropped, .coalesced].randomElement(using: &random)
            world.server.configure { $0.pushes = pushes ?? .delivered }
        case 14: world.server.releasePushes()
        default: try? await service.endSession()
        }
    }

    /// Ends all faults and reconciles.
    func settle() async throws {
        if let clientId = service.settings.clientIdentifier { clients.insert(clientId) }
        world.server.clearFaults()
        for _ in 0..<3 { await service.reconcile() }
        if let clientId = service.settings.clientIdentifier { clients.insert(clientId) }
    }

    func check(_ comment: Comment) async throws {
        let current = service.settings.clientIdentifier
        for clientId in clients where clientId != current {
            #expect(try await viewer.fetchTelemetryClients(clientId: clientId).isEmpty, comment)
            #expect(try await viewer.fetchScenarios(forClient: clientId).isEmpty, comment)
            #expect(try await viewer.countEvents(matching: .init(clientId: clientId)) == 0, comment)
            #expect(try await viewer.fetchPendingCommands(for: clientId).isEmpty, comment)
        }
        if let current, service.settings.telemetryRequested {
            let records = try await viewer.fetchTelemetryClients(clientId: current)
            #expect(records.map(\.isEnabled) == [service.settings.telemetrySendingEnabled], comment)
            #expect(try await viewer.fetchPendingCommands(for: current).isEmpty, comment)
            let mirrored = try await viewer.fetchScenarios(forClient: current)
            for scenario in mirrored {
                #expect(service.scenarioStates[scenario.scenarioName] == scenario.isEnabled, comment)
            }
        } else {
            #expect(service.settings == .defaults, comment)
        }
        #expect(try await viewer.fetchTelemetryClients(clientId: "bystander").count == 1, comment)
        #expect(try await viewer.fetchScenarios(forClient: "bystander").count == 1, comment)
        #expect(try await viewer.countEvents(matching: .init(clientId: "bystander")) == 1, comment)
    }
}
