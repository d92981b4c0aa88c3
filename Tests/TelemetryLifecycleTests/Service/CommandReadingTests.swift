import TelemetryLifecycle
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct CommandReadingTests {
    @Test("The first of the queried commands is executed without another read; the next is read again")
    func reads() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        host.transport.forgetCalls()
        try await host.commands(
            TelemetryFixtures.command(.enableScenario, commandId: "first", scenarioName: "A", age: 10),
            TelemetryFixtures.command(.enableScenario, commandId: "second", scenarioName: "B"))
        await host.service.reconcile()
        #expect(try await host.status(of: "first") == .executed)
        #expect(try await host.status(of: "second") == .executed)
        let read = host.transport.calls(of: .record).compactMap { call -> TelemetryRecord.ID? in
            if case .record(let id) = call { id } else { nil }
        }
        #expect(!read.contains(.command("first")))
        #expect(read.contains(.command("second")), "executing the first command may take long")
    }
}
