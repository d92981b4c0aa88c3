import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// The viewer's command `captureScenario`, with the library's logger.
@MainActor
struct CaptureCommandTests {
    @Test("A capture sends the events of a scenario that is off, and its result is their number")
    func capture() async throws {
        let host = try await RecordingHost()
        for number in 1...12 { host.logger.logEvent(name: "\(number)", scenario: "Net") }
        let command = try await host.capture("Net")
        #expect(command?.status == .executed && command?.result == "captured 12 events")
        let stored = try await host.stored
        #expect(stored.map(\.name) == (1...12).map { "\($0)" })
        #expect(stored.allSatisfy { $0.attributes["telemetry.captured"] == true })
        #expect(host.service.scenarioStates["Net"] != true)
    }

    @Test("The lookback limits the age of the events; a later capture sends the others once")
    func lookback() async throws {
        let host = try await RecordingHost()
        host.logger.logEvent(name: "old", scenario: "Net")
        host.wall.date += 60
        host.logger.logEvent(name: "young", scenario: "Net")
        host.wall.date += 10
        #expect(try await host.capture("Net", lookback: 30)?.result == "captured 1 event")
        #expect(try await host.stored.map(\.name) == ["young"])
        #expect(try await host.capture("Net")?.result == "captured 1 event")
        #expect(try await host.capture("Net")?.result == "captured 0 events")
        #expect(try await host.stored.map(\.name) == ["young", "old"])
    }

    @Test("Several captures that are pending together are all executed")
    func severalPending() async throws {
        let host = try await RecordingHost()
        host.logger.logEvent(name: "event", scenario: "Net")
        try await host.send("Net", id: "1")
        try await host.send("Net", id: "2")
        await host.service.reconcile()
        #expect(try await host.command("1")?.status == .executed)
        #expect(try await host.command("2")?.status == .executed)
        #expect(try await host.stored.map(\.name) == ["event"])
    }

    @Test("A lookback that is not a positive number of seconds fails", arguments: [-1.0, 0, .infinity, .nan])
    func invalidLookback(seconds: Double) async throws {
        let host = try await RecordingHost()
        host.logger.logEvent(name: "event", scenario: "Net")
        let command = try await host.capture("Net", lookback: seconds)
        #expect(command?.status == .failed && command?.errorMessage?.isEmpty == false)
        #expect(try await host.stored.isEmpty)
    }

    @Test("The policy decides whether the logger captures after a crash", arguments: [false, true])
    func afterCrash(isCaptured: Bool) async {
        let logger = SimulatedLogger(name: "session")
        let service = TelemetryLifecycleService(
            settingsStore: InMemoryTelemetrySettingsStore(), transport: MockTelemetryTransport(),
            configuration: .init(
                reconcileInterval: nil, clock: ManualClock(),
                policy: TelemetryPolicy(recordedScenarios: ["Net"], capturesAfterCrash: isCaptured)),
            logger: logger, scenarioStore: InMemoryTelemetryScenarioStore())
        await service.startup()
        #expect(logger.capturesAfterCrash == isCaptured)
        await service.shutdown()
    }

    @Test("A lookback that is not a number fails")
    func lookbackOfAnotherType() async throws {
        let host = try await RecordingHost()
        let empty = TelemetryRecord(recordType: TelemetryCommandRecord.recordType, recordID: .command("1"))
        var record = try host.record("Net", id: "1").applying(to: empty)
        record["lookback"] = "soon"
        _ = try await host.transport.store.save([record], policy: .insert)
        await host.service.reconcile()
        #expect(try await host.command("1")?.status == .failed)
    }

    @Test("A capture of a scenario that the policy does not record, or that the user forbids, is rejected")
    func rejected() async throws {
        let host = try await RecordingHost()
        #expect(try await host.capture("Other")?.status == .rejected)
        host.logger.logEvent(name: "event", scenario: "Net")
        await host.service.setScenarioAllowed("Net", allowed: false)
        let command = try await host.capture("Net")
        #expect(command?.status == .rejected && command?.errorMessage?.isEmpty == false)
        host.logger.logEvent(name: "forbidden", scenario: "Net")
        await host.service.setScenarioAllowed("Net", allowed: true)
        #expect(try await host.capture("Net")?.result == "captured 0 events")
        #expect(try await host.stored.isEmpty)
    }

    @Test("A capture during a pause fails; after it, the events from before the pause are sent")
    func paused() async throws {
        let host = try await RecordingHost()
        host.logger.logEvent(name: "before", scenario: "Net")
        await host.service.pauseTelemetry()
        host.logger.logEvent(name: "paused", scenario: "Net")
        let command = try await host.capture("Net")
        #expect(command?.status == .failed && command?.errorMessage?.contains("paused") == true)
        await host.service.resumeTelemetry()
        #expect(try await host.capture("Net")?.result == "captured 1 event")
        #expect(try await host.stored.map(\.name) == ["before"])
    }

    @Test("An opt-out, and a viewer's deletion, remove what was recorded")
    func emptied() async throws {
        let host = try await RecordingHost()
        host.logger.logEvent(name: "a secret", scenario: "Net")
        #expect(host.leavesOnDisk("a secret"))
        _ = try await host.transport.store.createCommand(TelemetryFixtures.command(.deleteEvents, commandId: "delete"))
        await host.service.reconcile()
        #expect(!host.leavesOnDisk("a secret"))
        #expect(try await host.capture("Net")?.result == "captured 0 events")
        host.logger.logEvent(name: "a secret", scenario: "Net")
        #expect(host.leavesOnDisk("a secret"))
        await host.service.disableTelemetry()
        #expect(!host.leavesOnDisk("a secret"))
    }

    @Test("Nothing is recorded before the viewer has approved the client")
    func notApproved() async throws {
        let host = try await RecordingHost(isApproved: false)
        host.logger.logEvent(name: "early", scenario: "Net")
        #expect(try await host.capture("Net")?.status == .failed)
        #expect(!host.leavesOnDisk("early"))
    }

    @Test("Events from before a crash are sent after the next start, and those of a scenario forbidden since are removed")
    func crash() async throws {
        let host = try await RecordingHost()
        host.logger.logEvent(name: "before", scenario: "Net")
        host.logger.logEvent(name: "forbidden", scenario: "Files")
        await host.service.setScenarioAllowed("Files", allowed: false)
        try await host.crash()
        #expect(!host.leavesOnDisk("forbidden"))
        #expect(try await host.capture("Net")?.result == "captured 1 event")
        #expect(try await host.stored.map(\.name) == ["before"])
    }

    @Test("The policy's level holds for what is recorded")
    func level() async throws {
        let host = try await RecordingHost(maximumLevel: .info)
        host.logger.logEvent(name: "detail", scenario: "Net", level: .diagnostic)
        host.logger.logEvent(name: "info", scenario: "Net")
        #expect(try await host.capture("Net")?.result == "captured 1 event")
        #expect(try await host.stored.map(\.name) == ["info"])
    }

    @Test("A capture fails with a message if the host's logger has no recorder")
    func otherLogger() async throws {
        let host = try await TestHost.approved(policy: TelemetryPolicy(recordedScenarios: ["Net"]))
        try await host.command(.captureScenario, id: "1", scenario: "Net")
        await host.service.reconcile()
        #expect(try await host.status(of: "1") == .failed)
        #expect(try await host.transport.store.fetchCommand(recordID: .command("1"))?.errorMessage?.isEmpty == false)
    }
}
