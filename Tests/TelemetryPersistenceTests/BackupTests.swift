import Foundation
import Synchronization
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import Testing

struct BackupTests {
    private let settings = TelemetrySettings(
        telemetryRequested: true, telemetrySendingEnabled: true, clientIdentifier: "k7m2")

    @Test("A file backup keeps settings for another instance until they are cleared")
    func file() async throws {
        try await withTemporaryDirectory(isCreated: true) { root in
            let directory = root.appending(path: "backup")
            let backup = FileTelemetrySettingsBackup(directory: directory)
            #expect(try await backup.loadSettings() == nil)
            try await backup.clearSettings()
            #expect(!FileManager.default.fileExists(atPath: directory.text))

            try await backup.saveSettings(settings)
            #expect(try await FileTelemetrySettingsBackup(directory: directory).loadSettings() == settings)
            #expect(try directory.appending(path: "settings-backup.json").permissions == 0o600)
            let text = try String(contentsOf: directory.appending(path: "settings-backup.json"), encoding: .utf8)
            for field in TelemetrySchema.SettingsBackupField.allCases { #expect(text.contains("\"\(field.rawValue)\"")) }

            try await backup.clearSettings()
            #expect(try await FileTelemetrySettingsBackup(directory: directory).loadSettings() == nil)
        }
    }

    @Test("A file backup keeps the pending work that is saved with the settings, and no other")
    func work() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let backup = FileTelemetrySettingsBackup(directory: directory)
            #expect(try await backup.loadPendingWork().isEmpty)
            let work = TelemetryPendingWork(deletions: [.init(clientId: "old", command: "command-1")])
            try await backup.saveSettings(settings, pendingWork: work)
            #expect(try await FileTelemetrySettingsBackup(directory: directory).loadPendingWork() == work)
            let coordinator = TelemetrySettingsSyncCoordinator(backupClient: backup)
            #expect(await coordinator.restore() == (.restored(settings), work))
            try await backup.saveSettings(settings)
            #expect(try await backup.loadPendingWork().isEmpty)
        }
    }

    @Test(
        "A corrupt backup is an error and is not changed, until another is saved",
        arguments: [
            "", "{}", "[]", "{\"telemetryRequested\": true",
            #"{"telemetryRequested": true, "telemetrySendingEnabled": true, "lastUpdated": "lately"}"#,
            #"{"telemetryRequested": 1, "telemetrySendingEnabled": true, "lastUpdated": "2026-11-21T08:00:00.000Z"}"#,
        ])
    func corrupt(text: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let file = directory.appending(path: "settings-backup.json")
            try Data(text.utf8).write(to: file)
            let backup = FileTelemetrySettingsBackup(directory: directory)
            let error = await #expect(throws: TelemetrySettingsBackupError.self) { try await backup.loadSettings() }
            #expect(error?.localizedDescription.contains(file.text) == true)
            #expect(try Data(contentsOf: file) == Data(text.utf8))

            let coordinator = TelemetrySettingsSyncCoordinator(backupClient: backup)
            guard case .failed(let reason) = await coordinator.restoreSettingsFromBackup() else {
                Issue.record("a corrupt backup did not fail")
                return
            }
            #expect(reason.contains(file.text))
            try await coordinator.backupSettings(settings)
            #expect(await coordinator.restoreSettingsFromBackup() == .restored(settings))
        }
    }

    @Test("Writing or reading a backup throws if its directory is a file")
    func unwritable() async throws {
        try await withTemporaryDirectory(isCreated: true) { root in
            let directory = root.appending(path: "backup")
            try Data().write(to: directory)
            let backup = FileTelemetrySettingsBackup(directory: directory)
            await #expect(throws: (any Error).self) { try await backup.saveSettings(settings) }
            await #expect(throws: (any Error).self) { try await backup.loadSettings() }
        }
    }

    // MARK: The coordinator

    /// A backup whose loads return when the test says so.
    private actor SlowBackup: TelemetrySettingsBackingUp {
        private(set) var loads = 0
        private var waiting: [CheckedContinuation<TelemetrySettings?, any Error>] = []
        private let asked: AsyncStream<Void>.Continuation
        nonisolated let wasAsked: AsyncStream<Void>

        init() { (wasAsked, asked) = AsyncStream.makeStream() }

        func saveSettings(_ settings: TelemetrySettings) async throws {}
        func clearSettings() async throws {}
        func loadSettings() async throws -> TelemetrySettings? {
            loads += 1
            return try await withCheckedThrowingContinuation {
                waiting.append($0)
                asked.yield()
            }
        }

        func answer(_ result: Result<TelemetrySettings?, any Error>) {
            for continuation in waiting { continuation.resume(with: result) }
            waiting = []
        }
    }

    @Test("The state goes from pending to restoring to restored; a second call during a load gets the same result")
    func states() async {
        let backup = SlowBackup()
        let coordinator = TelemetrySettingsSyncCoordinator(backupClient: backup)
        #expect(await coordinator.state == .pending)
        let first = Task { await coordinator.restoreSettingsFromBackup() }
        var asked = backup.wasAsked.makeAsyncIterator()
        _ = await asked.next()
        #expect(await coordinator.state == .restoring)
        let second = Task { await coordinator.restoreSettingsFromBackup() }
        first.cancel()
        await backup.answer(.success(settings))
        #expect(await first.value == .restored(settings))
        #expect(await coordinator.state == .restored(settings))
        // The second call joined the first one's load or, if it came after its end, began another.
        await backup.answer(.success(settings))
        if await backup.loads > 1 {
            _ = await asked.next()
            await backup.answer(.success(settings))
        }
        #expect(await second.value == .restored(settings))
    }

    @Test("Without a backup the state is fresh; a failure has its reason; each call loads again")
    func outcomes() async throws {
        let backup = SlowBackup()
        let coordinator = TelemetrySettingsSyncCoordinator(backupClient: backup)
        var asked = backup.wasAsked.makeAsyncIterator()
        let results: [(Result<TelemetrySettings?, any Error>, TelemetrySettingsSyncCoordinator.RestoreState)] = [
            (.success(nil), .fresh),
            (.failure(TelemetrySettingsBackupError.corrupted("x")), .failed("The settings' backup is corrupt: x")),
            (.success(settings), .restored(settings)),
        ]
        for (result, state) in results {
            let restore = Task { await coordinator.restoreSettingsFromBackup() }
            _ = await asked.next()
            await backup.answer(result)
            #expect(await restore.value == state)
            #expect(await coordinator.state == state)
        }
        try await coordinator.clearBackup()
        #expect(await coordinator.state == .restored(settings))
    }

    @Test("Clearing through the coordinator removes the backup")
    func clearing() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let coordinator = TelemetrySettingsSyncCoordinator(
                backupClient: FileTelemetrySettingsBackup(directory: directory))
            try await coordinator.backupSettings(settings)
            #expect(await coordinator.restoreSettingsFromBackup() == .restored(settings))
            try await coordinator.clearBackup()
            #expect(await coordinator.restoreSettingsFromBackup() == .fresh)
        }
    }
}
