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
        try await host.command(.enableScenario, id: "first", scenario: "A", age: 10)
        try await host.command(.enableScenario, id: "second", scenario: "B")
        host.transport.forgetCalls()
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
