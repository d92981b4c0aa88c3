import Foundation
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import Testing

/// The contract of every scenario store.
struct ScenarioStoreTests {
    enum Kind: CaseIterable, Sendable { case memory, file, userDefaults }

    /// Calls the body with two stores of one kind for the same directory or suite; in memory both are the same store.
    func withStores(
        _ kind: Kind, _ body: (any TelemetryScenarioStoring, any TelemetryScenarioStoring) async throws -> Void
    ) async throws {
        switch kind {
        case .memory:
            let store = InMemoryTelemetryScenarioStore()
            try await body(store, store)
        case .file:
            try await withTemporaryDirectory(isCreated: true) { directory in
                try await body(
                    FileTelemetryScenarioStore(directory: directory), FileTelemetryScenarioStore(directory: directory))
            }
        case .userDefaults:
            try await withSuite { name in
                try await body(
                    UserDefaultsTelemetryScenarioStore(suiteName: name), UserDefaultsTelemetryScenarioStore(suiteName: name))
            }
        }
    }

    @Test("A state that was never saved is nil", arguments: Kind.allCases)
    func neverSaved(kind: Kind) async throws {
        try await withStores(kind) { store, _ in
            #expect(await store.loadState(for: "Net") == nil)
            #expect(await store.loadAllStates().isEmpty)
            await store.removeState(for: "Net")
            await store.removeAllStates()
        }
    }

    @Test("The state that was saved last is loaded, by another store too", arguments: Kind.allCases)
    func savedLast(kind: Kind) async throws {
        try await withStores(kind) { store, other in
            await store.saveState(for: "Net", isEnabled: true)
            #expect(await store.loadState(for: "Net") == true)
            #expect(await other.loadState(for: "Net") == true)
            await other.saveState(for: "Net", isEnabled: false)
            #expect(await store.loadState(for: "Net") == false)
            #expect(await store.loadAllStates() == ["Net": false])
        }
    }

    @Test("Scenarios are independent, even if one's name is part of another's", arguments: Kind.allCases)
    func independent(kind: Kind) async throws {
        try await withStores(kind) { store, other in
            let states = ["Net": true, "Network": false, "net": false, "N": true]
            for (name, isEnabled) in states { await store.saveState(for: name, isEnabled: isEnabled) }
            #expect(await other.loadAllStates() == states)
            await store.removeState(for: "Net")
            #expect(await other.loadAllStates() == states.filter { $0.key != "Net" })
            await store.removeAllStates()
            #expect(await other.loadAllStates().isEmpty)
        }
    }

    @Test("A scenario's name may be any text", arguments: Kind.allCases)
    func anyName(kind: Kind) async throws {
        let names = [
            "", ".", "..", "a.b", "a.isEnabled", ".isEnabled", "telemetry.scenario.x.isEnabled", "a/b", "../../etc/passwd", "a b",
            "\u{301}x", "👩‍👩‍👧", "\u{1}\n", "a\u{0}b", "\"", "\\", "<key>&amp;", "漢字", String(repeating: "long ", count: 2_000),
        ]
        try await withStores(kind) { store, other in
            for (index, name) in names.enumerated() { await store.saveState(for: name, isEnabled: index % 2 == 0) }
            for (index, name) in names.enumerated() {
                #expect(await other.loadState(for: name) == (index % 2 == 0), "\(name.debugDescription)")
            }
            #expect(await other.loadAllStates().count == names.count)
            for name in names { await store.removeState(for: name) }
            #expect(await other.loadAllStates().isEmpty)
        }
    }

    @Test("Canonically equal names are one scenario", arguments: Kind.allCases)
    func spellings(kind: Kind) async throws {
        try await withStores(kind) { store, other in
            await store.saveState(for: "caf\u{e9}", isEnabled: true)
            await store.saveState(for: "cafe\u{301}", isEnabled: false)
            #expect(await other.loadAllStates() == ["caf\u{e9}": false])
            #expect(await other.loadState(for: "caf\u{e9}") == false)
            await other.removeState(for: "cafe\u{301}")
            #expect(await store.loadAllStates().isEmpty)
        }
    }

    @Test("States that several stores save concurrently are all kept", arguments: Kind.allCases)
    func concurrent(kind: Kind) async throws {
        try await withStores(kind) { store, other in
            await withTaskGroup { group in
                for index in 0..<40 {
                    group.addTask { await (index % 2 == 0 ? store : other).saveState(for: "s\(index)", isEnabled: true) }
                }
            }
            #expect(await store.loadAllStates().count == 40)
            #expect(await other.loadAllStates().count == 40)
        }
    }

    @Test("User defaults keep states under the documented keys, and other keys are not touched")
    func userDefaultsKeys() async throws {
        try await withSuite { name in
            let store = UserDefaultsTelemetryScenarioStore(suiteName: name)
            await store.saveState(for: "Network.Requests", isEnabled: true)
            let defaults = try #require(UserDefaults(suiteName: name))
            defaults.synchronize()
            #expect(defaults.object(forKey: "telemetry.scenario.Network.Requests.isEnabled") as? Bool == true)
            for key in ["telemetry.scenario.isEnabled", "telemetry.scenario.x", "x.isEnabled", "telemetry.requested"] {
                defaults.set(true, forKey: key)
            }
            defaults.set("text", forKey: "telemetry.scenario.text.isEnabled")
            defaults.synchronize()
            #expect(await store.loadAllStates() == ["Network.Requests": true])
            await store.removeAllStates()
            defaults.synchronize()
            #expect(defaults.object(forKey: "telemetry.scenario.Network.Requests.isEnabled") == nil)
            #expect(defaults.object(forKey: "telemetry.scenario.x") as? Bool == true)
        }
    }

    @Test("A corrupt file of states reads as empty, is set aside and reported")
    func corruptFile() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            try Data(#"{"Net": "on"}"#.utf8).write(to: directory.appending(path: "scenarios.json"))
            let log = DiagnosticsLog()
            let store = FileTelemetryScenarioStore(directory: directory, diagnostics: log.handler)
            #expect(await store.loadState(for: "Net") == nil)
            #expect(log.kinds == [.corruptFile])
            await store.saveState(for: "Net", isEnabled: true)
            #expect(try directory.names == ["scenarios.corrupt.json", "scenarios.json", "scenarios.lock"])
        }
    }

    @Test("Reading and removing create no file in an empty file store")
    func createsNothing() async throws {
        try await withTemporaryDirectory(isCreated: true) { root in
            let directory = root.appending(path: "state")
            let store = FileTelemetryScenarioStore(directory: directory)
            _ = await store.loadState(for: "Net")
            _ = await store.loadAllStates()
            await store.removeState(for: "Net")
            await store.removeAllStates()
            #expect(!FileManager.default.fileExists(atPath: directory.text))
        }
    }
}
