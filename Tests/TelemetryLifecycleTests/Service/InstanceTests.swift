import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

@testable import TelemetryLifecycle

#if !canImport(Darwin)
/// Hosts that do not specify stores.
@MainActor
struct InstanceTests {
    private let transport = InMemoryTelemetryTransport()

    private func service(_ directory: URL, instance: String? = nil) -> TelemetryLifecycleService {
        var configuration = TelemetryLifecycleService.Configuration(reconcileInterval: nil, instance: instance)
        configuration.stateDirectory = directory
        return TelemetryLifecycleService(transport: transport, configuration: configuration)
    }

    private func start(_ services: [TelemetryLifecycleService]) async {
        for service in services {
            await service.startup()
            await service.restorationFinished()
        }
    }

    @Test("Hosts that run at the same time are different clients, and keep their identifiers across a restart")
    func restart() async throws {
        try await withTemporaryDirectory { directory in
            let first = (0..<3).map { _ in service(directory) }
            await start(first)
            for service in first { await service.enableTelemetry() }
            let clients = first.compactMap(\.settings.clientIdentifier)
            #expect(Set(clients).count == 3)
            for service in first { await service.shutdown() }
            let second = (0..<4).map { _ in service(directory) }
            await start(second)
            #expect(Set(second.compactMap(\.settings.clientIdentifier)) == Set(clients))
            #expect(second.filter(\.settings.telemetryRequested).count == 3)
            // One of them ends, and the others keep running.
            let leaving = try #require(second.first { $0.settings.clientIdentifier == clients[1] })
            await leaving.disableTelemetry()
            #expect(try await Set(transport.fetchTelemetryClients().map(\.clientId)) == [clients[0], clients[2]])
            for service in second { await service.shutdown() }
        }
    }

    @Test("Hosts with the same instance name are one client")
    func named() async throws {
        try await withTemporaryDirectory { directory in
            let services = (0..<2).map { _ in service(directory, instance: "worker") }
            await start(services)
            await services[0].enableTelemetry()
            await services[1].reconcile()
            #expect(services[1].settings.clientIdentifier == services[0].settings.clientIdentifier)
            #expect(services[1].settings.clientIdentifier != nil)
            for service in services { await service.shutdown() }
        }
    }

    @Test("A host that never opts in writes no file")
    func neverOptedIn() async throws {
        try await withTemporaryDirectory { directory in
            let host = service(directory)
            await start([host])
            try await host.registerScenarios(["A"])
            await host.shutdown()
            #expect(!FileManager.default.fileExists(atPath: directory.path))
        }
    }
}
#endif
