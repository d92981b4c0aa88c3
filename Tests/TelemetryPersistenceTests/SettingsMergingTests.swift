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

        func apply(to document: inout SettingsDocument, as clientId: String) {
            switch self {
            case .optOut: document.optOut()
            case .optIn:
                document.settings.telemetryRequested = true
                document.settings.clientIdentifier = document.settings.clientIdentifier ?? clientId
            case .optOutAndIn:
                document.optOut()
                Self.optIn.apply(to: &document, as: clientId)
            case .sendingOn: document.settings.telemetrySendingEnabled = document.settings.telemetryRequested
            case .withdraw: document.withdraw()
            }
        }
    }

    @Test("An opt-out that could not be written wins over any stored change, and both clients' data is to be deleted")
    func unwrittenOptOut() async throws {
        for theirs in Change.allCases {
            let merged = try await merge(mine: .optOut, theirs: theirs)
            #expect(merged.settings == .defaults, "\(theirs)")
            #expect(merged.embeddedWork.deletions.contains { $0.clientId == "first" }, "\(theirs)")
            if theirs == .optOutAndIn { #expect(merged.embeddedWork.deletions.contains { $0.clientId == "theirs" }) }
        }
    }

    @Test("A stored opt-out wins over any change that could not be written", arguments: Change.allCases)
    func storedOptOut(mine: Change) async throws {
        let merged = try await merge(mine: mine, theirs: .optOut)
        #expect(merged.settings == .defaults)
        #expect(merged.embeddedWork.deletions.contains { $0.clientId == "first" })
    }

    @Test(
        "A change for one client does not apply to the client that replaced it", arguments: [Change.sendingOn, .withdraw])
    func otherClient(mine: Change) async throws {
        let merged = try await merge(mine: mine, theirs: .optOutAndIn)
        #expect(merged.settings == TelemetrySettings(telemetryRequested: true, clientIdentifier: "theirs"))
    }

    @Test(
        "An opt-out and a new opt-in that could not be written end the consent of a client that was never read",
        arguments: [0, 2])
    func unreadClient(optOuts: Int) async throws {
        let merged = try await merge(mine: .optOutAndIn, isRead: false, optOuts: optOuts)
        #expect(merged.settings == TelemetrySettings(telemetryRequested: true, clientIdentifier: "mine"))
        #expect(merged.embeddedWork.deletions.map(\.clientId) == ["first"])
    }

    private func merge(mine: Change, theirs: Change? = nil, isRead: Bool = true, optOuts: Int = 0) async throws
        -> SettingsDocument
    {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let (store, other) = (
                FileTelemetrySettingsStore(directory: directory), FileTelemetrySettingsStore(directory: directory)
            )
            await other.changeDocument {
                $0.settings = TelemetrySettings(telemetryRequested: true, clientIdentifier: "first")
                $0.optOuts = optOuts
            }
            if isRead { _ = await store.load() }
            let lock = directory.appending(path: "settings.lock")
            try FileManager.default.removeItem(at: lock)
            try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: false)
            await store.changeDocument { mine.apply(to: &$0, as: "mine") }
            try FileManager.default.removeItem(at: lock)
            await other.changeDocument { theirs?.apply(to: &$0, as: "theirs") }
            let merged = await store.loadDocument()
            let stored = await other.loadDocument()
            #expect(stored == merged)
            return stored
        }
    }
}
