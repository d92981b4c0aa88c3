import Foundation
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import Testing

// Exit tests need a system that can start processes.
#if os(Linux) || os(macOS)
/// Stores in several processes; each exit test is a process of its own.
@Suite(.serialized)
struct ProcessesTests {
    @Test("Concurrent updates by four processes are all applied, in files")
    func files() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let path = directory.text
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        await #expect(processExitsWith: .success) { [path = path as String] in
                            let store = FileTelemetrySettingsStore(directory: URL(filePath: path))
                            for _ in 0..<50 { _ = await countUp(store) }
                        }
                    }
                }
            }
            let settings = await FileTelemetrySettingsStore(directory: directory).load()
            #expect(settings.clientIdentifier == "200")
            let names = try directory.names
            #expect(names == ["settings.json", "settings.lock"])
        }
    }

    @Test("Concurrent updates by four processes are all applied, in user defaults")
    func userDefaultsUpdates() async throws {
        try await withSuite { name in
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        await #expect(processExitsWith: .success) { [name = name as String] in
                            let store = UserDefaultsTelemetrySettingsStore(suiteName: name)
                            for _ in 0..<20 { _ = await countUp(store) }
                        }
                    }
                }
            }
            #expect(await UserDefaultsTelemetrySettingsStore(suiteName: name).load().clientIdentifier == "80")
        }
    }

    @Test("Values saved in user defaults are read by another process, even if the first one is killed right after")
    func userDefaults() async throws {
        try await withSuite { name in
            await #expect(processExitsWith: .failure) { [name = name as String] in
                await UserDefaultsTelemetrySettingsStore(suiteName: name).save(
                    TelemetrySettings(telemetryRequested: true, clientIdentifier: "k7m2"))
                await UserDefaultsTelemetryScenarioStore(suiteName: name).saveState(for: "Net", isEnabled: true)
                kill(getpid(), SIGKILL)
            }
            let settings = await UserDefaultsTelemetrySettingsStore(suiteName: name).load()
            #expect(settings == TelemetrySettings(telemetryRequested: true, clientIdentifier: "k7m2"))
            #expect(await UserDefaultsTelemetryScenarioStore(suiteName: name).loadState(for: "Net") == true)
        }
    }

    @Test("Values saved in files are read by another process, even if the first one is killed right after")
    func killed() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let path = directory.text
            await #expect(processExitsWith: .failure) { [path = path as String] in
                let directory = URL(filePath: path)
                await FileTelemetrySettingsStore(directory: directory).save(TelemetrySettings(telemetryRequested: true))
                await FileTelemetryScenarioStore(directory: directory).saveState(for: "Net", isEnabled: true)
                kill(getpid(), SIGKILL)
            }
            #expect(await FileTelemetrySettingsStore(directory: directory).load().telemetryRequested)
            #expect(await FileTelemetryScenarioStore(directory: directory).loadState(for: "Net") == true)
        }
    }
}
#endif
