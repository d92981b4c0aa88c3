import Foundation
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import Testing

/// The contract of the package's scenario stores for whole states, denied scenarios and the pause.
struct WholeScenarioStoreTests {
    private static let state = TelemetryScenarioState(
        isEnabled: true, level: .info, expires: Date(timeIntervalSince1970: 1_795_248_000.5), source: .rule("r"))

    private func withStores(
        _ kind: ScenarioStoreTests.Kind,
        _ body: (any TelemetryScenarioStoring, any TelemetryScenarioStoring) async throws -> Void
    ) async throws {
        try await ScenarioStoreTests().withStores(kind, body)
    }

    @Test("A whole state is loaded as it was saved, by another store too", arguments: ScenarioStoreTests.Kind.allCases)
    func wholeStates(kind: ScenarioStoreTests.Kind) async throws {
        try await withStores(kind) { store, other in
            var host = TelemetryScenarioState(isEnabled: false, source: .host)
            await store.saveScenario(Self.state, for: "Net")
            await store.saveScenario(host, for: "caf\u{e9}")
            #expect(await other.loadAllScenarios() == ["Net": Self.state, "caf\u{e9}": host])
            #expect(await other.loadAllStates() == ["Net": true, "caf\u{e9}": false])
            #expect(await other.loadState(for: "Net") == true)
            host.isEnabled = true
            await other.saveScenario(host, for: "cafe\u{301}")
            #expect(await store.loadAllScenarios() == ["Net": Self.state, "caf\u{e9}": host])
            await store.removeState(for: "caf\u{e9}")
            #expect(await other.loadAllScenarios() == ["Net": Self.state])
            await store.removeAllStates()
            #expect(await other.loadAllScenarios().isEmpty)
        }
    }

    @Test("Saving a Bool replaces the whole state", arguments: ScenarioStoreTests.Kind.allCases)
    func boolAlone(kind: ScenarioStoreTests.Kind) async throws {
        try await withStores(kind) { store, other in
            await store.saveScenario(Self.state, for: "Net")
            await store.saveState(for: "Net", isEnabled: true)
            #expect(await other.loadAllScenarios() == ["Net": TelemetryScenarioState(isEnabled: true)])
        }
    }

    @Test(
        "Denied scenarios and the pause are kept when states are removed",
        arguments: ScenarioStoreTests.Kind.allCases)
    func controls(kind: ScenarioStoreTests.Kind) async throws {
        try await withStores(kind) { store, other in
            #expect(await store.loadDeniedScenarios().isEmpty)
            #expect(await store.loadPause() == [])
            await store.saveState(for: "Net", isEnabled: true)
            await store.saveDenied(true, for: "Net")
            await store.saveDenied(true, for: "caf\u{e9}")
            await store.saveDenied(true, for: "\u{301}x")
            await store.savePause([.byHost, .byViewer])
            await store.removeAllStates()
            #expect(await other.loadDeniedScenarios() == ["Net", "cafe\u{301}", "\u{301}x"])
            #expect(await other.loadPause() == [.byHost, .byViewer])
            #expect(await other.loadAllStates().isEmpty)
            await other.saveDenied(false, for: "cafe\u{301}")
            await other.savePause(.byViewer)
            #expect(await store.loadDeniedScenarios() == ["Net", "\u{301}x"])
            #expect(await store.loadPause() == .byViewer)
            await other.savePause([])
            await other.saveDenied(false, for: "never")
            #expect(await store.loadPause() == [])
        }
    }

    @Test("States with defaults for all but the Bool are Booleans in the file")
    func booleansInFile() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let file = directory.appending(path: "scenarios.json")
            try Data(#"{"Net": true, "Sync": false}"#.utf8).write(to: file)
            let store = FileTelemetryScenarioStore(directory: directory)
            #expect(
                await store.loadAllScenarios()
                    == ["Net": TelemetryScenarioState(isEnabled: true), "Sync": TelemetryScenarioState()])
            #expect(await store.loadDeniedScenarios().isEmpty)
            await store.saveState(for: "Sync", isEnabled: true)
            #expect(try JSONDecoder().decode([String: Bool].self, from: Data(contentsOf: file)) == ["Net": true, "Sync": true])
            await store.saveScenario(Self.state, for: "Net")
            #expect(await FileTelemetryScenarioStore(directory: directory).loadAllScenarios()["Net"] == Self.state)
        }
    }

    @Test("A Bool alone is read from user defaults, and a change of it alone takes effect")
    func booleansInDefaults() async throws {
        try await withSuite { name in
            let defaults = try #require(UserDefaults(suiteName: name))
            let key = "telemetry.scenario.Net.isEnabled"
            defaults.set(true, forKey: key)
            defaults.synchronize()
            let store = UserDefaultsTelemetryScenarioStore(suiteName: name)
            #expect(await store.loadAllScenarios() == ["Net": TelemetryScenarioState(isEnabled: true)])
            await store.saveScenario(Self.state, for: "Net")
            #expect(await store.loadAllScenarios() == ["Net": Self.state])
            defaults.synchronize()
            #expect(defaults.object(forKey: key) as? Bool == true)
            defaults.set(false, forKey: key)
            defaults.synchronize()
            #expect(await store.loadAllScenarios() == ["Net": TelemetryScenarioState()])
        }
    }

    /// The key of a level of the reference implementation's later versions.
    private static func levelKey(_ scenarioName: String) -> String { "telemetry.scenario.\(scenarioName).diagnosticLevel" }

    @Test(
        "Without an own key, a level of the reference implementation's later versions is read",
        arguments: [
            (-2, TelemetryScenarioState()), (-1, TelemetryScenarioState()), (0, TelemetryScenarioState(isEnabled: true)),
            (1, TelemetryScenarioState(isEnabled: true, level: .info)),
            (2, TelemetryScenarioState(isEnabled: true, level: .info)),
            (3, TelemetryScenarioState(isEnabled: true, level: .info)),
            (4, TelemetryScenarioState(isEnabled: true, level: .info)),
        ])
    func referenceLevels(level: Int, state: TelemetryScenarioState) async throws {
        try await withSuite { name in
            let defaults = try #require(UserDefaults(suiteName: name))
            for scenario in ["Net", "caf\u{e9}"] { defaults.set(level, forKey: Self.levelKey(scenario)) }
            defaults.set(["Net", "caf\u{e9}"], forKey: "telemetry.scenario.registry")
            defaults.synchronize()
            let store = UserDefaultsTelemetryScenarioStore(suiteName: name)
            #expect(await store.loadAllScenarios() == ["Net": state, "caf\u{e9}": state])
            #expect(await store.loadAllStates() == ["Net": state.isEnabled, "caf\u{e9}": state.isEnabled])
            #expect(await store.loadState(for: "Net") == state.isEnabled)
            #expect(await store.loadState(for: "cafe\u{301}") == state.isEnabled)
            #expect(await store.loadState(for: "Sync") == nil)
            #expect(defaults.object(forKey: Self.levelKey("Net")) as? Int == level)
        }
    }

    @Test("An own key overrides a level of the reference implementation, and a level of a wrong type is ignored")
    func overriddenReferenceLevels() async throws {
        try await withSuite { name in
            let defaults = try #require(UserDefaults(suiteName: name))
            defaults.set(0, forKey: Self.levelKey("Net"))
            defaults.set(false, forKey: "telemetry.scenario.Net.isEnabled")
            defaults.set("1", forKey: Self.levelKey("Sync"))
            defaults.synchronize()
            let store = UserDefaultsTelemetryScenarioStore(suiteName: name)
            #expect(await store.loadAllScenarios() == ["Net": TelemetryScenarioState()])
            #expect(await store.loadState(for: "Net") == false)
            #expect(await store.loadState(for: "Sync") == nil)
        }
    }

    @Test("A saved or removed state permanently replaces a level of the reference implementation")
    func replacedReferenceLevels() async throws {
        try await withSuite { name in
            let defaults = try #require(UserDefaults(suiteName: name))
            let names = ["Net", "caf\u{e9}", "Sync", "Disk"]
            for scenario in names { defaults.set(0, forKey: Self.levelKey(scenario)) }
            defaults.synchronize()
            let store = UserDefaultsTelemetryScenarioStore(suiteName: name)
            await store.saveState(for: "Net", isEnabled: false)
            await store.saveScenario(Self.state, for: "cafe\u{301}")
            await store.removeState(for: "Sync")
            let expected = [
                "Net": TelemetryScenarioState(), "caf\u{e9}": Self.state, "Disk": TelemetryScenarioState(isEnabled: true),
            ]
            #expect(await store.loadAllScenarios() == expected)
            await store.removeState(for: "Net")
            await store.removeAllStates()
            #expect(await UserDefaultsTelemetryScenarioStore(suiteName: name).loadAllScenarios().isEmpty)
            defaults.synchronize()
            #expect(names.allSatisfy { defaults.object(forKey: Self.levelKey($0)) == nil })
        }
    }

    @Test("Corrupt controls read as empty, are set aside and reported")
    func corruptControls() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            try Data("[]".utf8).write(to: directory.appending(path: "controls.json"))
            let log = DiagnosticsLog()
            let store = FileTelemetryScenarioStore(directory: directory, diagnostics: log.handler)
            #expect(await store.loadDeniedScenarios().isEmpty)
            #expect(log.kinds == [.corruptFile])
            await store.saveDenied(true, for: "Net")
            #expect(try directory.names == ["controls.corrupt.json", "controls.json", "controls.lock"])
        }
    }

    /// A host's store without the requirements that have defaults.
    private actor BoolStore: TelemetryScenarioStoring {
        var states: [String: Bool] = [:]
        func loadState(for scenarioName: String) -> Bool? { states[scenarioName] }
        func loadAllStates() -> [String: Bool] { states }
        func saveState(for scenarioName: String, isEnabled: Bool) { states[scenarioName] = isEnabled }
        func removeState(for scenarioName: String) { states[scenarioName] = nil }
        func removeAllStates() { states = [:] }
    }

    @Test("A store without the requirements that have defaults keeps only the Bool")
    func boolStore() async {
        let store: any TelemetryScenarioStoring = BoolStore()
        await store.saveScenario(Self.state, for: "Net")
        await store.saveDenied(true, for: "Net")
        await store.savePause(.byHost)
        #expect(await store.loadAllScenarios() == ["Net": TelemetryScenarioState(isEnabled: true)])
        #expect(await store.loadDeniedScenarios().isEmpty)
        #expect(await store.loadPause() == [])
    }
}
