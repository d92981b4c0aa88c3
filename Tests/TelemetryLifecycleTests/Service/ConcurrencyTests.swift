import Observation
import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct ConcurrencyTests {
    enum Operation: String, CaseIterable, Sendable { case enable, disable, reconcile, endSession, notification, setScenario }

    @Test("Concurrent operations end in the state of the one that was called last", arguments: Operation.allCases)
    func lastCalled(last: Operation) async throws {
        for rotation in 0..<Operation.allCases.count {
            let host = try await TestHost.approved(identifiers: (1...9).map { "nextclient\($0)" })
            try await host.service.registerScenarios(["A"])
            try await host.transport.store.append(TelemetryFixtures.events(1...3))
            try await host.command(.enableScenario, scenario: "A")
            var order = Operation.allCases.filter { $0 != last }
            order = Array(order[(rotation % order.count)...] + order[..<(rotation % order.count)]) + [last]
            // Tasks that are created on one actor begin in the order of their creation.
            let calls = order.map { operation in Task { await Self.perform(operation, on: host.service) } }
            for call in calls { await call.value }
            try await expectAgreement(host, after: order)
        }
    }

    private static func perform(_ operation: Operation, on service: TelemetryLifecycleService) async {
        switch operation {
        case .enable: await service.enableTelemetry()
        case .disable: await service.disableTelemetry()
        case .reconcile: await service.reconcile()
        case .endSession: try? await service.endSession()
        case .notification: _ = await service.handleRemoteNotification(.init())
        case .setScenario: try? await service.setScenarioEnabled("A", enabled: true)
        }
    }

    /// Checks that the service, the stores, the logger and the records have the state that the order of the calls implies.
    private func expectAgreement(_ host: TestHost, after order: [Operation]) async throws {
        let comment = Comment(rawValue: order.map(\.rawValue).joined(separator: ", "))
        let service = host.service
        let lastConsent = order.last { $0 == .enable || $0 == .disable }
        let wasDisabled = order.contains(.disable)
        let isRequested = lastConsent == .enable
        #expect(service.settings.telemetryRequested == isRequested, comment)
        #expect(await host.settingsStore.load() == service.settings, comment)
        // An opt-out ends the approval: a new client waits for its own.
        let isSending = isRequested && !(wasDisabled && lastConsent == .enable)
        #expect(await host.logger.isEnabled == isSending, comment)
        #expect(service.settings.telemetrySendingEnabled == isSending, comment)
        let clients = try await host.transport.store.fetchTelemetryClients()
        #expect(clients.map(\.clientId) == (isRequested ? [service.settings.clientIdentifier].compactMap(\.self) : []), comment)
        if order.last == .endSession {
            #expect(service.scenarioStates.isEmpty, comment)
            #expect(try await host.transport.store.fetchScenarios().isEmpty, comment)
        }
        if order.last == .setScenario { #expect(service.scenarioStates["A"] == true, comment) }
        #expect(await host.logger.scenarioStates == service.scenarioStates, comment)
        #expect(!service.hasPendingWork, comment)
    }

    @Test("No observer reads telemetry as enabled with sending off")
    func observers() async throws {
        let host = try await TestHost()
        let observer = Observer(host.service)
        await host.service.enableTelemetry()
        for round in 0..<4 {
            try await host.command(.enable, id: "enable\(round)")
            await host.service.reconcile()
            #expect(host.service.status == .enabled)
            switch round {
            case 0: await host.service.disableTelemetry()
            case 1: try await host.command(.disable, id: "disable")
            case 2: try await host.setServer(enabled: false)
            default: try await host.transport.store.deleteTelemetryClient(recordID: .client(TestHost.clientId))
            }
            await host.service.reconcile()
            await host.service.enableTelemetry()
        }
        #expect(observer.seen.contains { $0.0 == .enabled })
        #expect(observer.seen.allSatisfy { $0.0 != .enabled || $0.1 })
        #expect(observer.seen.count > 20)
    }
}

/// Reads the service at every change.
@MainActor
private final class Observer {
    private let service: TelemetryLifecycleService
    private(set) var seen: [(TelemetryLifecycleService.Status, Bool)] = []

    init(_ service: TelemetryLifecycleService) {
        self.service = service
        watch()
    }

    private func watch() {
        let (status, settings) = withObservationTracking {
            (service.status, service.settings)
        } onChange: { [weak self] in
            // Called before the change, on the main actor: the values until now were visible.
            MainActor.assumeIsolated { self?.watch() }
        }
        seen.append((status, settings.telemetrySendingEnabled))
    }
}
