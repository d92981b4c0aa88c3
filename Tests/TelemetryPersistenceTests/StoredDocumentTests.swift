import Foundation
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import Testing

/// File stores whose file temporarily cannot be read or written.
struct StoredDocumentTests {
    @Test("A change that is written later does not undo other stores' changes")
    func othersChanges() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let store = FileTelemetryScenarioStore(directory: directory)
            let other = FileTelemetryScenarioStore(directory: directory)
            #expect(await store.loadAllStates().isEmpty)
            await other.saveState(for: "theirs", isEnabled: true)
            // Nothing is written without the lock, and a directory cannot be opened as a lock file.
            let lock = directory.appending(path: "scenarios.lock")
            try FileManager.default.removeItem(at: lock)
            try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: false)
            await store.saveState(for: "mine", isEnabled: true)
            try FileManager.default.removeItem(at: lock)
            await other.saveState(for: "theirs", isEnabled: false)
            await store.saveState(for: "more", isEnabled: true)
            #expect(await other.loadAllStates() == ["theirs": false, "mine": true, "more": true])
        }
    }

    /// Calls `body` while the first of two stores of one directory cannot write, then `check`.
    private func withUnwrittenChange(
        _ body: (FileTelemetrySettingsStore) async -> Void, stored settings: TelemetrySettings,
        _ check: (_ mine: FileTelemetrySettingsStore, _ theirs: FileTelemetrySettingsStore) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let (mine, theirs) = (
                FileTelemetrySettingsStore(directory: directory), FileTelemetrySettingsStore(directory: directory)
            )
            await theirs.save(settings)
            _ = await mine.load()
            let lock = directory.appending(path: "settings.lock")
            try FileManager.default.removeItem(at: lock)
            try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: false)
            await body(mine)
            try FileManager.default.removeItem(at: lock)
            try await check(mine, theirs)
        }
    }

    private let approved = TelemetrySettings(
        telemetryRequested: true, telemetrySendingEnabled: true, clientIdentifier: "first")

    @Test("A change that could not be written does not hide what another process has stored since")
    func optOutByAnother() async throws {
        let pending = TelemetrySettings(telemetryRequested: true, clientIdentifier: "first")
        try await withUnwrittenChange({ _ = await $0.update { $0.telemetrySendingEnabled = true } }, stored: pending) {
            mine, theirs in
            await theirs.update { $0 = .defaults }
            #expect(await mine.load() == .defaults)
            #expect(await theirs.load() == .defaults)
        }
    }

    @Test("A change that could not be written is written by the next load")
    func writtenByLoad() async throws {
        try await withUnwrittenChange({ _ = await $0.update { $0.clientIdentifier = "second" } }, stored: approved) {
            mine, theirs in
            #expect(await mine.load().clientIdentifier == "second")
            #expect(await theirs.load().clientIdentifier == "second")
        }
    }

    #if os(Linux)
    @Test("A file with a read error is neither corrupt nor set aside")
    func unreadable() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let log = DiagnosticsLog()
            let file = directory.appending(path: "settings.json")
            // Reading the first page of a process's memory is an input error.
            try FileManager.default.createSymbolicLink(atPath: file.text, withDestinationPath: "/proc/self/mem")
            let store = FileTelemetrySettingsStore(directory: directory, diagnostics: log.handler)
            #expect(await store.load() == .defaults)
            #expect(log.kinds == [.storageFailed])
            #expect(try directory.names == ["settings.json"])
        }
    }
    #endif
}
