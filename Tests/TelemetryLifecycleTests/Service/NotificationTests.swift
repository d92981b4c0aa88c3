import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct NotificationTests {
    private nonisolated static let ownCommands = "TelemetryCommand-\(TestHost.clientId)"

    @Test("A command's notification runs it without a call of the host")
    func follows() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        try await host.command(.enableScenario, scenario: "A")
        await host.clock.sleepers(atLeast: 1)
        host.clock.advance(by: .milliseconds(100))
        await host.logger.called(.updateScenarioStates(["A": true]))
        await host.service.reconcile()
        #expect(try await host.status() == .executed)
    }

    @Test("A notification causes a refresh at once, those that follow it one after the pause")
    func atOnce() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A", "B"])
        try await host.command(.enableScenario, scenario: "A")
        await host.logger.called(.updateScenarioStates(["A": true, "B": false]))
        await host.clock.sleepers(atLeast: 1)
        try await host.command(.enableScenario, id: "second", scenario: "B")
        host.clock.advance(by: .milliseconds(100))
        await host.logger.called(.updateScenarioStates(["A": true, "B": true]))
    }

    @Test("An approval by editing the client's record is noticed too")
    func followsRecord() async throws {
        let host = try await TestHost()
        await host.service.enableTelemetry()
        try await host.setServer(enabled: true)
        await host.clock.sleepers(atLeast: 1)
        host.clock.advance(by: .milliseconds(100))
        await host.logger.called(.setEnabled(true))
        #expect(await host.service.reconcile() == .localAndServerEnabled)
    }

    @Test("After the store ends the stream of notifications, a later reconciliation opens a new one")
    func streamEnds() async throws {
        let host = try await TestHost.approved()
        host.transport.store.notificationStreams.finish()
        #expect(!host.transport.store.notificationStreams.hasConsumers)
        // The stream's end is noticed asynchronously: the first reconciliation after it opens a new stream.
        for _ in 1...10_000 where !host.transport.store.notificationStreams.hasConsumers { await host.service.reconcile() }
        #expect(host.transport.store.notificationStreams.hasConsumers)
        await host.service.shutdown()
        #expect(!host.transport.store.notificationStreams.hasConsumers)
    }

    @Test("A burst of notifications causes two refreshes")
    func burst() async throws {
        let host = try await TestHost.approved()
        host.transport.forgetCalls()
        for _ in 1...1_000 {
            host.transport.send(.init(subscriptionID: Self.ownCommands, recordType: TelemetrySchema.commandRecordType))
        }
        await host.clock.sleepers(atLeast: 1)
        host.clock.advance(by: .milliseconds(100))
        await host.transport.called(.records)
        #expect(await host.service.handleRemoteNotification(.init(subscriptionID: "TelemetryCommand-other")) == false)
        #expect(host.transport.calls(of: .records).count < 5)
    }

    @Test("Notifications are not followed while telemetry is off")
    func stops() async throws {
        let host = try await TestHost.approved()
        #expect(host.transport.store.notificationStreams.hasConsumers)
        await host.service.disableTelemetry()
        #expect(!host.service.isProcessingCommands)
        host.transport.forgetCalls()
        host.transport.send(.init(subscriptionID: Self.ownCommands))
        await host.service.reconcile()
        #expect(host.transport.calls.isEmpty)
        #expect(host.clock.sleeperCount == 0)
    }

    @Test("A lost notification's command runs with the next notification, whatever its subject")
    func lost() async throws {
        let host = try await TestHost.approved()
        try await host.transport.store.deleteSubscription(withID: Self.ownCommands)
        try await host.command(.deleteEvents, id: "unheard")
        try await host.transport.store.createCommandSubscription(for: TestHost.clientId)
        try await host.command(.deleteEvents, id: "heard")
        let handled = await host.service.handleRemoteNotification(
            .init(subscriptionID: Self.ownCommands, recordType: TelemetrySchema.commandRecordType, recordID: .command("heard")))
        #expect(handled)
        #expect(try await host.status(of: "unheard") == .executed)
        #expect(try await host.status(of: "heard") == .executed)
    }

    @Test("A notification before startup is handled at startup")
    func kept() async throws {
        let host = try await TestHost(settings: TelemetryFixtures.approvedSettings, server: true)
        try await host.command(.deleteEvents)
        #expect(await host.service.handleRemoteNotification(.init(subscriptionID: Self.ownCommands)))
        #expect(host.transport.calls.isEmpty)
        await host.comeUp()
        #expect(try await host.status() == .executed)
    }

    @Test("Without telemetry no notification is handled, and no call is made")
    func notRequested() async throws {
        let host = try await TestHost()
        #expect(await host.service.handleRemoteNotification(.init()) == false)
        await host.service.startup()
        #expect(await host.service.handleRemoteNotification(.init(recordType: TelemetrySchema.commandRecordType)) == false)
        #expect(host.transport.calls.isEmpty)
    }

    @Test(
        "Only notifications that may concern this client are handled",
        arguments: [
            (TelemetryNotification(), true),
            (TelemetryNotification(subscriptionID: ownCommands), true),
            (TelemetryNotification(recordType: TelemetrySchema.commandRecordType), true),
            (TelemetryNotification(recordType: TelemetrySchema.clientRecordType), true),
            (TelemetryNotification(subscriptionID: "TelemetryClient-\(TestHost.clientId)"), true),
            (
                TelemetryNotification(
                    subscriptionID: "TelemetryClient-All", recordType: TelemetrySchema.clientRecordType,
                    recordID: .client(TestHost.clientId)), true
            ),
            (
                TelemetryNotification(
                    subscriptionID: "TelemetryClient-All", recordType: TelemetrySchema.clientRecordType,
                    recordID: .client("other")), false
            ),
            (TelemetryNotification(subscriptionID: "TelemetryCommand-other"), false),
            (
                TelemetryNotification(subscriptionID: "TelemetryScenario-All", recordType: TelemetrySchema.scenarioRecordType),
                false
            ),
            (TelemetryNotification(recordType: TelemetrySchema.recordType), false),
        ])
    func filter(notification: TelemetryNotification, isOwn: Bool) async throws {
        let host = try await TestHost.approved()
        host.transport.forgetCalls()
        #expect(await host.service.handleRemoteNotification(notification) == isOwn)
        #expect(host.transport.calls.isEmpty == !isOwn)
    }

    @Test("The host is notified when command processing starts and ends, to register for push notifications meanwhile")
    func seam() async throws {
        let host = try await TestHost()
        var heard: [Bool] = []
        host.service.onCommandProcessingChange = { heard.append($0) }
        await host.service.startup()
        #expect(heard.isEmpty)
        await host.service.enableTelemetry()
        await host.service.reconcile()
        #expect(heard == [true])
        await host.service.disableTelemetry()
        #expect(heard == [true, false])
        await host.service.enableTelemetry()
        var late: [Bool] = []
        host.service.onCommandProcessingChange = { late.append($0) }
        #expect(late == [true])
    }
}
