import TelemetryLifecycle
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct StartupTests {
    @Test("Without an opt-in, startup makes no call and no subscription, and the logger is off")
    func neverRequested() async throws {
        let subscriptions = MockSubscriptionManager()
        let host = try await TestHost(subscriptions: subscriptions, interval: .seconds(60))
        let settings = await host.service.startup()
        #expect(settings == .defaults)
        #expect(host.service.status == .disabled)
        #expect(host.service.reconciliation == .allDisabled)
        #expect(!host.service.isRestorationInProgress)
        #expect(!host.service.isProcessingCommands)
        #expect(host.logger.calls == [.activate(enabled: false)])
        #expect(host.transport.calls.isEmpty)
        #expect(subscriptions.calls.isEmpty)
        #expect(host.clock.sleeperCount == 0)
    }

    @Test("After an earlier opt-in, startup returns the stored settings at once and continues in the background")
    func returnsAtOnce() async throws {
        let host = try await TestHost(settings: TelemetryFixtures.approvedSettings, server: true)
        host.transport.hold(.record)
        let settings = await host.service.startup()
        #expect(settings == TelemetryFixtures.approvedSettings)
        #expect(host.service.settings == TelemetryFixtures.approvedSettings)
        #expect(host.service.isRestorationInProgress)
        await host.transport.held(.record)
        #expect(host.logger.calls.isEmpty, "the logger buffers events until it is activated")
        host.transport.release(.record)
        await host.service.restorationFinished()
        #expect(!host.service.isRestorationInProgress)
        #expect(host.service.status == .enabled)
        #expect(host.service.reconciliation == .localAndServerEnabled)
        #expect(host.logger.calls == [.setClientIdentifier(TestHost.clientId), .activate(enabled: true)])
        #expect(host.service.isProcessingCommands)
        #expect(try await host.transport.store.fetchCommandSubscription(for: TestHost.clientId) != nil)
    }

    @Test("Repeated and concurrent startups run once")
    func twice() async throws {
        let host = try await TestHost(settings: TelemetryFixtures.approvedSettings, server: true)
        let service = host.service
        async let first = service.startup()
        async let second = service.startup()
        let both = await [first, second]
        #expect(both == [TelemetryFixtures.approvedSettings, TelemetryFixtures.approvedSettings])
        await service.restorationFinished()
        let calls = host.transport.calls.count
        await service.startup()
        await service.restorationFinished()
        #expect(host.transport.calls.count == calls)
        #expect(host.logger.calls.count { $0 == .activate(enabled: true) } == 1)
    }

    @Test("A client without an approval starts waiting, with the logger off")
    func pending() async throws {
        let host = try await TestHost(
            settings: TelemetrySettings(telemetryRequested: true, clientIdentifier: TestHost.clientId), server: false)
        await host.comeUp()
        #expect(host.service.status == .pendingApproval)
        #expect(await host.logger.isEnabled == false)
        #expect(host.service.clientRecord?.clientId == TestHost.clientId)
    }

    @Test("At an offline startup the settings are kept, and an approved client records")
    func offline() async throws {
        let host = try await TestHost(settings: TelemetryFixtures.approvedSettings, server: true)
        host.transport.isOffline = true
        await host.comeUp()
        #expect(host.service.status.errorMessage != nil)
        #expect(host.service.statusMessage == host.service.status.errorMessage)
        #expect(host.service.settings == TelemetryFixtures.approvedSettings)
        #expect(await host.logger.isEnabled == true)
        host.transport.isOffline = false
        #expect(await host.service.reconcile() == .localAndServerEnabled)
        #expect(host.service.status == .enabled)
        #expect(host.service.statusMessage == nil)
    }

    @Test("Waiting for a restoration that never began returns at once")
    func noRestoration() async throws {
        let host = try await TestHost()
        await host.service.restorationFinished()
        #expect(host.service.status == .idle)
    }

    @Test("The logger gets the client's identifier before it is activated")
    func identifiedFirst() async throws {
        let host = try await TestHost.approved()
        #expect(host.logger.calls.first == .setClientIdentifier(TestHost.clientId))
    }
}
