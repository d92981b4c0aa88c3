import Foundation
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import Testing

/// Merging a change that could not be written with what another process has stored meanwhile.
struct SettingsMergingTests {
    /// Independent changes of the settings.
    enum Change: String, CaseIterable, Sendable {
        case optOut, optIn, optOutAndIn, sendingOn, withdraw

        func apply(to settings: inout TelemetrySettings, as clientId: String) {
            switch self {
            case .optOut: settings.optOut()
            case .optIn:
                settings.telemetryRequested = true
                settings.clientIdentifier = settings.clientIdentifier ?? clientId
            case .optOutAndIn:
                settings.optOut()
                Self.optIn.apply(to: &settings, as: clientId)
            case .sendingOn: settings.telemetrySendingEnabled = settings.telemetryRequested
            case .withdraw: settings.withdraw()
            }
        }
    }

    @Test("An opt-out that could not be written wins over any stored change, and both clients' data is to be deleted")
    func unwrittenOptOut() async throws {
        for theirs in Change.allCases {
            let merged = try await merge(mine: .optOut, theirs: theirs)
            #expect(merged == .defaults, "\(theirs)")
            #expect(merged.embeddedWork.deletions.contains { $0.clientId == "first" }, "\(theirs)")
            if theirs == .optOutAndIn { #expect(merged.embeddedWork.deletions.contains { $0.clientId == "theirs" }) }
        }
    }

    @Test("A stored opt-out wins over any change that could not be written", arguments: Change.allCases)
    func storedOptOut(mine: Change) async throws {
        let merged = try await merge(mine: mine, theirs: .optOut)
        #expect(merged == .defaults)
        #expect(merged.embeddedWork.deletions.contains { $0.clientId == "first" })
    }

    @Test(
        "A change for one client does not apply to the client that replaced it", arguments: [Change.sendingOn, .withdraw])
    func otherClient(mine: Change) async throws {
        let merged = try await merge(mine: mine, theirs: .optOutAndIn)
        #expect(merged == TelemetrySettings(telemetryRequested: true, clientIdentifier: "theirs"))
    }

    private func merge(mine: Change, theirs: Change) async throws -> TelemetrySettings {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let (store, other) = (
                FileTelemetrySettingsStore(directory: directory), FileTelemetrySettingsStore(directory: directory)
            )
            await other.save(TelemetrySettings(telemetryRequested: true, clientIdentifier: "first"))
            _ = await store.load()
            let lock = directory.appending(path: "settings.lock")
            try FileManager.default.removeItem(at: lock)
            try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: false)
            await store.update { mine.apply(to: &$0, as: "mine") }
            try FileManager.default.removeItem(at: lock)
            await other.update { theirs.apply(to: &$0, as: "theirs") }
            let merged = await store.load()
            let stored = await other.load()
            #expect(stored == merged)
            return stored
        }
    }
}
