import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import Testing

@MainActor
struct RegistrationCostTests {
    @Test("Registering many scenarios makes no more calls to the stores than registering few", arguments: [20, 2_000])
    func registration(count: Int) async throws {
        let store = CountingScenarioStore()
        let host = try await TestHost(
            settings: TelemetryFixtures.approvedSettings, server: true, scenarioStore: store)
        await host.comeUp()
        let names = (0..<count).map { "scenario \($0)" }
        await store.saveState(for: names[7], isEnabled: true)
        for _ in 0..<2 {
            await store.forgetCalls()
            host.transport.forgetCalls()
            try await host.service.registerScenarios(names)
            #expect(await store.calls <= 2)
            #expect(host.transport.calls.count <= 2)
        }
        #expect(host.service.scenarioStates.count == count)
        #expect(host.service.scenarioStates.filter(\.value).keys.sorted() == [names[7]])
        #expect(try await host.mirrored().count == count)
    }
}

/// Counts the calls.
private actor CountingScenarioStore: TelemetryScenarioStoring {
    private let store = InMemoryTelemetryScenarioStore()
    private(set) var calls = 0

    func forgetCalls() { calls = 0 }

    func loadState(for scenarioName: String) async -> Bool? {
        calls += 1
        return await store.loadState(for: scenarioName)
    }
    func loadAllStates() async -> [String: Bool] {
        calls += 1
        return await store.loadAllStates()
    }
    func saveState(for scenarioName: String, isEnabled: Bool) async {
        calls += 1
        await store.saveState(for: scenarioName, isEnabled: isEnabled)
    }
    func removeState(for scenarioName: String) async {
        calls += 1
        await store.removeState(for: scenarioName)
    }
    func removeAllStates() async {
        calls += 1
        await store.removeAllStates()
    }
}
