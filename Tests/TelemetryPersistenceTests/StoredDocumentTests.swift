import Foundation
import TelemetryModels
import TelemetryPersistence
import Testing

/// What file stores do where the file cannot be read or written for a while.
struct StoredDocumentTests {
    @Test("What others changed after a change that could not be written is not undone when it is written")
    func othersChanges() async throws {
        try await withTemporaryDirectory { directory in
            let store = FileTelemetryScenarioStore(directory: directory)
            let other = FileTelemetryScenarioStore(directory: directory)
            #expect(await store.loadAllStates().isEmpty)
            await other.saveState(for: "theirs", isEnabled: true)
            // Nothing is written without the lock, and a directory cannot be opened as one.
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

    #if os(Linux)
    @Test("A file that the disk does not give just now is neither corrupt nor set aside")
    func unreadable() async throws {
        try await withTemporaryDirectory { directory in
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
