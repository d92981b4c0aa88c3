import Foundation
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import Testing

/// Files at the path of a store's temporary file: from a killed process, or placed there by another user of the directory.
struct TemporaryFileTests {
    let settings = TelemetrySettings(telemetryRequested: true, telemetrySendingEnabled: true, clientIdentifier: "k7m2")

    @Test("A killed process's half-written temporary file is ignored, and removed by the next save")
    func leftover() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let name = "settings.json.6F9619FF-8B86-D011-B42D-00CF4FC964FF.tmp"
            try Data("{\"telemetryReq".utf8).write(to: directory.appending(path: name))
            let store = FileTelemetrySettingsStore(directory: directory)
            #expect(await store.load() == .defaults)
            await store.save(settings)
            #expect(try directory.names == ["settings.json", "settings.lock"])
            #expect(await FileTelemetrySettingsStore(directory: directory).load() == settings)
        }
    }

    @Test("A file that is not the store's, with a name like a temporary file's, is kept")
    func foreignName() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            try Data().write(to: directory.appending(path: "settings.json.mine.tmp"))
            await FileTelemetrySettingsStore(directory: directory).save(settings)
            #expect(try directory.names == ["settings.json", "settings.json.mine.tmp", "settings.lock"])
        }
    }

    @Test("A hard link at the temporary file's path does not make a save overwrite the linked file")
    func hardLink() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let victim = directory.appending(path: "victim")
            try Data("precious".utf8).write(to: victim)
            try FileManager.default.linkItem(at: victim, to: directory.appending(path: "settings.json.tmp"))
            await FileTelemetrySettingsStore(directory: directory).save(settings)
            #expect(try Data(contentsOf: victim) == Data("precious".utf8))
            #expect(await FileTelemetrySettingsStore(directory: directory).load() == settings)
        }
    }

    @Test("A file with wider permissions at the temporary file's path does not become the settings file")
    func openFile() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let planted = directory.appending(path: "settings.json.tmp")
            try Data().write(to: planted)
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: planted.text)
            await FileTelemetrySettingsStore(directory: directory).save(settings)
            #expect(try directory.appending(path: "settings.json").permissions == 0o600)
        }
    }

    @Test("A directory at the temporary file's path does not prevent a save")
    func directoryInPlace() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let planted = directory.appending(path: "settings.json.tmp")
            try FileManager.default.createDirectory(at: planted, withIntermediateDirectories: false)
            let log = DiagnosticsLog()
            await FileTelemetrySettingsStore(directory: directory, diagnostics: log.handler).save(settings)
            #expect(log.kinds == [])
            #expect(await FileTelemetrySettingsStore(directory: directory).load() == settings)
        }
    }
}
