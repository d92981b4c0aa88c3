import Foundation
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import Testing

/// The settings that are read before each delivery.
struct CurrentSettingsTests {
    private let settings = TelemetrySettings(
        telemetryRequested: true, telemetrySendingEnabled: true, clientIdentifier: "client")

    @Test("Every change by another instance is returned at once")
    func changes() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let (store, other) = (
                FileTelemetrySettingsStore(directory: directory), FileTelemetrySettingsStore(directory: directory)
            )
            for _ in 1...100 {
                await store.save(settings)
                #expect(await other.current() == settings)
                _ = await store.recordOptOut { $0 = .defaults }
                #expect(await other.current() == .defaults)
            }
        }
    }

    @Test("A file that has not changed is not read again; a change that could not be written is returned")
    func unchanged() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let store = FileTelemetrySettingsStore(directory: directory)
            await store.save(settings)
            let file = directory.appending(path: "settings.json")
            try age(file, directory)
            #expect(await store.current() == settings)
            // The size, modification date and inode are unchanged: only reading the file would reveal the change.
            let text = try String(contentsOf: file, encoding: .utf8)
            try overwrite(file, text.replacingOccurrences(of: "\"client\"", with: "\"CLIENT\""))
            try age(file, directory)
            #expect(await store.current() == settings)
            try overwrite(file, text + " ")
            #expect(await store.current() == settings)
            try age(file, directory)
            #expect(await store.current() == settings)

            try FileManager.default.removeItem(at: directory.appending(path: "settings.lock"))
            try FileManager.default.createDirectory(
                at: directory.appending(path: "settings.lock"), withIntermediateDirectories: false)
            try age(file, directory)
            #expect(await store.current() == settings)
            await store.update { $0 = .defaults }
            #expect(await store.current() == .defaults)
        }
    }

    @Test("An opt-out marker file next to the settings file takes effect at once")
    func marked() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let store = FileTelemetrySettingsStore(directory: directory)
            await store.save(settings)
            try age(directory.appending(path: "settings.json"), directory)
            #expect(await store.current() == settings)
            try Data().write(to: directory.appending(path: "settings.opted-out"))
            #expect(await store.current() == .defaults)
        }
    }

    private func age(_ urls: URL...) throws {
        for url in urls {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: url.text)
        }
    }

    /// Overwrites in place: the file keeps its inode.
    private func overwrite(_ file: URL, _ text: String) throws {
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try handle.write(contentsOf: Data(text.utf8))
    }
}
