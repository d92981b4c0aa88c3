import Foundation
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

/// Reads settings, scenarios, pending work, a backup, a record, a subscription or a filter. An unreadable file is set aside, and
/// a value that is saved in its place can be read.
enum DocumentTarget {
    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        var input = ByteInput(bytes)
        let kind = input.number(below: 7)
        let text = input.rest()
        let directory = Scratch.fresh("documents")
        mkdir(directory, 0o700)
        let url = URL(filePath: directory)
        wait {
            switch kind {
            case 0: await settings(text, url)
            case 1: await scenarios(text, url)
            case 2: await backup(text, url)
            case 3: roundTrip(TelemetryRecord.self, text) { $0.recordID == $1.recordID && $0.recordType == $1.recordType }
            case 4: await pendingWork(text, url)
            case 5: roundTrip(TelemetrySubscription.self, text) { $0 == $1 }
            default: roundTrip(TelemetryEventFilter.self, text) { $0.names == $1.names && $0.clientId == $1.clientId }
            }
        }
    }

    private static func settings(_ text: [UInt8], _ directory: URL) async {
        Scratch.write(text, to: directory.path() + "/settings.json")
        let read = await FileTelemetrySettingsStore(directory: directory).load()
        let same = await FileTelemetrySettingsStore(directory: directory).load()
        require(read == same, "two readers read different settings")
        let store = FileTelemetrySettingsStore(directory: directory)
        _ = await store.update { $0.telemetryRequested.toggle() }
        let changed = await FileTelemetrySettingsStore(directory: directory).load()
        require(changed.telemetryRequested != read.telemetryRequested, "a change of the settings is lost")
        require(changed.clientIdentifier == read.clientIdentifier, "a change of one setting changed another")
        await store.reset()
        let after = await FileTelemetrySettingsStore(directory: directory).load()
        require(after == .defaults, "the settings are not reset")
    }

    private static func pendingWork(_ text: [UInt8], _ directory: URL) async {
        Scratch.write(text, to: directory.path() + "/pending-work.json")
        let read = await FileTelemetryPendingWorkStore(directory: directory).loadPendingWork()
        let same = await FileTelemetrySettingsStore(directory: directory).loadPendingWork()
        require(read == same, "two readers read different pending work")
        await FileTelemetryPendingWorkStore(directory: directory).updatePendingWork { $0 = TelemetryPendingWork() }
        let after = await FileTelemetryPendingWorkStore(directory: directory).loadPendingWork()
        require(after.isEmpty, "the pending work is not replaced")
    }

    private static func scenarios(_ text: [UInt8], _ directory: URL) async {
        Scratch.write(text, to: directory.path() + "/scenarios.json")
        let read = await FileTelemetryScenarioStore(directory: directory).loadAllStates()
        await FileTelemetryScenarioStore(directory: directory).saveState(for: "added", isEnabled: true)
        var expected = read
        expected["added"] = true
        let changed = await FileTelemetryScenarioStore(directory: directory).loadAllStates()
        require(changed == expected, "a change of a scenario's state changed others")
    }

    private static func backup(_ text: [UInt8], _ directory: URL) async {
        Scratch.write(text, to: directory.path() + "/settings-backup.json")
        let backup = FileTelemetrySettingsBackup(directory: directory)
        _ = try? await backup.loadSettings()
        let settings = TelemetrySettings(telemetryRequested: true, clientIdentifier: "alpha")
        do { try await backup.saveSettings(settings) } catch { violated("a backup cannot be replaced: \(error)") }
        let loaded = try? await backup.loadSettings()
        require(loaded == settings, "a saved backup is not read back")
    }

    private static func roundTrip<Value: Codable>(
        _ type: Value.Type, _ text: [UInt8], isSame: (Value, Value) -> Bool
    ) {
        guard let value = try? JSONDecoder().decode(type, from: Data(text)) else { return }
        do {
            let again = try JSONDecoder().decode(type, from: JSONEncoder().encode(value))
            require(isSame(value, again), "\(value) changes when it is written")
        } catch {
            violated("\(value) cannot be written and read: \(error)")
        }
    }
}
