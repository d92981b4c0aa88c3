import Foundation
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import Testing

struct FileTelemetrySettingsStoreTests {
    private let settings = TelemetrySettings(
        telemetryRequested: true, telemetrySendingEnabled: true, clientIdentifier: "abc/../déjà 👩‍👩‍👧")

    @Test("An empty store has the defaults, and neither reading nor resetting creates a file")
    func emptyStoreCreatesNothing() async throws {
        try await withTemporaryDirectory(isCreated: true) { root in
            let directory = root.appending(path: "state")
            let store = FileTelemetrySettingsStore(directory: directory)
            #expect(await store.load() == .defaults)
            #expect(await store.reset() == .defaults)
            #expect(!FileManager.default.fileExists(atPath: directory.text))
        }
    }

    @Test("Another instance reads saved settings, from files that only their owner may read")
    func survivesInstance() async throws {
        try await withTemporaryDirectory(isCreated: true) { root in
            let directory = root.appending(path: "deep/down")
            #expect(await FileTelemetrySettingsStore(directory: directory).save(settings) == settings)
            #expect(await FileTelemetrySettingsStore(directory: directory).load() == settings)
            #expect(try directory.permissions == 0o700)
            for name in try directory.names { #expect(try directory.appending(path: name).permissions == 0o600, "\(name)") }
        }
    }

    @Test("Reset restores the defaults, for other instances too")
    func reset() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let (store, other) = (
                FileTelemetrySettingsStore(directory: directory), FileTelemetrySettingsStore(directory: directory)
            )
            await store.save(settings)
            #expect(await store.reset() == .defaults)
            #expect(await store.load() == .defaults)
            #expect(await other.load() == .defaults)
        }
    }

    @Test("Concurrent updates from several instances are all applied")
    func concurrentUpdates() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            await withTaskGroup { group in
                for _ in 0..<4 {
                    let store = FileTelemetrySettingsStore(directory: directory)
                    for _ in 0..<25 {
                        group.addTask {
                            await store.update { settings in
                                settings.clientIdentifier = "\((settings.clientIdentifier.flatMap(Int.init) ?? 0) + 1)"
                            }
                        }
                    }
                }
            }
            #expect(await FileTelemetrySettingsStore(directory: directory).load().clientIdentifier == "100")
        }
    }

    @Test("An update that changes nothing does not write the file")
    func unchangedUpdate() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let store = FileTelemetrySettingsStore(directory: directory)
            await store.save(settings)
            let file = directory.appending(path: "settings.json").text
            let before = try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int
            let updated = await store.update { _ in }
            #expect(updated == settings)
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int == before)
        }
    }

    @Test(
        "A corrupt file reads as defaults, is set aside and reported",
        arguments: ["", "{\"telemetryRequested\": tr", "[]", "null", "{\"telemetryRequested\": \"yes\"}", "\u{0}\u{1}\u{fffd}"])
    func corruptFile(text: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let file = directory.appending(path: "settings.json")
            try Data(text.utf8).write(to: file)
            let log = DiagnosticsLog()
            let store = FileTelemetrySettingsStore(directory: directory, diagnostics: log.handler)
            #expect(await store.load() == .defaults)
            #expect(log.kinds == [.corruptFile])
            #expect(log.messages.allSatisfy { $0.contains(file.text) })
            #expect(try Data(contentsOf: directory.appending(path: "settings.corrupt.json")) == Data(text.utf8))
            await store.save(settings)
            #expect(await FileTelemetrySettingsStore(directory: directory).load() == settings)
            #expect(log.kinds == [.corruptFile])
        }
    }

    @Test("An update of a corrupt file starts from the defaults, and the file is set aside")
    func corruptFileAtUpdate() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            try Data("{".utf8).write(to: directory.appending(path: "settings.json"))
            let log = DiagnosticsLog()
            let store = FileTelemetrySettingsStore(directory: directory, diagnostics: log.handler)
            let updated = await store.update { $0.telemetryRequested = true }
            #expect(updated == TelemetrySettings(telemetryRequested: true))
            #expect(log.kinds == [.corruptFile])
            #expect(try directory.names.contains("settings.corrupt.json"))
        }
    }

    @Test("Missing fields have their defaults, and unknown fields are ignored")
    func otherVersions() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            try Data(#"{"telemetryRequested": true, "fromTheFuture": [1]}"#.utf8)
                .write(to: directory.appending(path: "settings.json"))
            let log = DiagnosticsLog()
            let loaded = await FileTelemetrySettingsStore(directory: directory, diagnostics: log.handler).load()
            #expect(loaded == TelemetrySettings(telemetryRequested: true))
            #expect(log.kinds.isEmpty)
        }
    }

    @Test("If nothing can be written, the store works in memory and reports it; pending changes are written once possible")
    func unwritable() async throws {
        try await withTemporaryDirectory(isCreated: true) { root in
            // A file in place of the directory: this fails for root too, unlike a missing permission.
            let directory = root.appending(path: "state")
            try Data().write(to: directory)
            let log = DiagnosticsLog()
            let store = FileTelemetrySettingsStore(directory: directory, diagnostics: log.handler)
            let updated = await store.update { $0.telemetryRequested = true }
            #expect(updated.telemetryRequested)
            #expect(await store.load().telemetryRequested)
            #expect(log.kinds == [.storageFailed])

            try FileManager.default.removeItem(at: directory)
            await store.update { $0.clientIdentifier = "x" }
            let stored = await FileTelemetrySettingsStore(directory: directory).load()
            #expect(stored == TelemetrySettings(telemetryRequested: true, clientIdentifier: "x"))
        }
    }

    @Test("Changes that are written later do not revert what other stores have written meanwhile")
    func unwrittenMerges() async throws {
        try await withTemporaryDirectory(isCreated: true) { root in
            let directory = root.appending(path: "state")
            let away = root.appending(path: "away")
            let settings = (FileTelemetrySettingsStore(directory: directory), FileTelemetrySettingsStore(directory: directory))
            let states = (FileTelemetryScenarioStore(directory: directory), FileTelemetryScenarioStore(directory: directory))
            await settings.0.update { $0.clientIdentifier = "first" }
            await states.0.saveState(for: "removed", isEnabled: true)
            await states.0.saveState(for: "kept", isEnabled: true)

            try FileManager.default.moveItem(at: directory, to: away)
            try Data().write(to: directory)
            await settings.0.update { $0.telemetryRequested = true }
            await states.0.saveState(for: "mine", isEnabled: true)
            await states.0.removeState(for: "removed")
            try FileManager.default.removeItem(at: directory)
            try FileManager.default.moveItem(at: away, to: directory)

            await settings.1.update { $0.clientIdentifier = "second" }
            await states.1.saveState(for: "theirs", isEnabled: false)
            await settings.0.update { $0.telemetrySendingEnabled = true }
            await states.0.saveState(for: "last", isEnabled: false)
            let expected = TelemetrySettings(
                telemetryRequested: true, telemetrySendingEnabled: true, clientIdentifier: "second")
            #expect(await settings.1.load() == expected)
            #expect(await states.1.loadAllStates() == ["kept": true, "mine": true, "theirs": false, "last": false])
        }
    }

    @Test("The stored form does not change")
    func storedForm() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            await FileTelemetrySettingsStore(directory: directory).save(
                TelemetrySettings(telemetryRequested: true, telemetrySendingEnabled: false, clientIdentifier: "k7m2"))
            let text = try String(contentsOf: directory.appending(path: "settings.json"), encoding: .utf8)
            for line in [#""clientIdentifier" : "k7m2""#, #""telemetryRequested" : true"#, #""telemetrySendingEnabled" : false"#]
            {
                #expect(text.contains(line), "\(text)")
            }
            #expect(!text.contains("optOuts") && !text.contains("embeddedWork"), "\(text)")
        }
    }

    @Test("What is stored beside the settings is kept with them, and a change of the settings keeps it")
    func document() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let work = TelemetryPendingWork(deletions: [.init(clientId: "old", command: "command-1")])
            let store = FileTelemetrySettingsStore(directory: directory)
            await store.changeDocument {
                $0 = SettingsDocument(settings: settings, optOuts: 2, embeddedWork: work)
            }
            await store.save(TelemetrySettings(telemetryRequested: true, clientIdentifier: "new"))
            await store.update { $0.telemetrySendingEnabled = true }
            let expected = SettingsDocument(
                settings: TelemetrySettings(
                    telemetryRequested: true, telemetrySendingEnabled: true, clientIdentifier: "new"),
                optOuts: 2, embeddedWork: work)
            #expect(await FileTelemetrySettingsStore(directory: directory).loadDocument() == expected)
            let text = try String(contentsOf: directory.appending(path: "settings.json"), encoding: .utf8)
            #expect(
                text == """
                    {
                      "clientIdentifier" : "new",
                      "embeddedWork" : {
                        "deletions" : [
                          {
                            "clientId" : "old",
                            "command" : "command-1"
                          }
                        ]
                      },
                      "optOuts" : 2,
                      "telemetryRequested" : true,
                      "telemetrySendingEnabled" : true
                    }

                    """)
        }
    }
}
