import Foundation
import TelemetryModels
import TelemetryPersistence
import Testing

/// The contract of the settings stores in memory and in user defaults. Stores in files have tests of their own.
struct SettingsStoreTests {
    private static let full = TelemetrySettings(
        telemetryRequested: true, telemetrySendingEnabled: true, clientIdentifier: "é/👩‍👩‍👧")
    private static let document = SettingsDocument(
        settings: full, optOuts: 3,
        embeddedWork: TelemetryPendingWork(
            registrations: ["é/👩‍👩‍👧"], backup: .outdated,
            deletions: [.init(clientId: "old", sessionEnd: Date(timeIntervalSince1970: 1_795_248_000.123), command: "c")]))

    @Test("A store in memory keeps, changes and resets its settings")
    func memory() async {
        let store = InMemoryTelemetrySettingsStore()
        #expect(await store.load() == .defaults)
        #expect(await store.save(Self.full) == Self.full)
        #expect(await store.load() == Self.full)
        let updated = await store.update { $0.telemetrySendingEnabled = false }
        #expect(updated.telemetrySendingEnabled == false && updated.telemetryRequested)
        #expect(await store.load() == updated)
        await store.changeDocument { $0 = Self.document }
        await store.save(.defaults)
        await store.update { $0 = Self.full }
        #expect(await store.loadDocument() == Self.document)
        #expect(await store.reset() == .defaults)
        #expect(await store.loadDocument() == SettingsDocument())
    }

    @Test("User defaults keep every field, for another instance too")
    func userDefaults() async throws {
        try await withSuite { name in
            let store = UserDefaultsTelemetrySettingsStore(suiteName: name)
            #expect(await store.load() == .defaults)
            await store.changeDocument { $0 = Self.document }
            #expect(await UserDefaultsTelemetrySettingsStore(suiteName: name).loadDocument() == Self.document)
            var changed = Self.document
            changed.settings.clientIdentifier = nil
            #expect(await store.update { $0.clientIdentifier = nil } == changed.settings)
            #expect(await UserDefaultsTelemetrySettingsStore(suiteName: name).loadDocument() == changed)
            await store.save(Self.full)
            #expect(await UserDefaultsTelemetrySettingsStore(suiteName: name).loadDocument() == Self.document)
            #expect(await store.reset() == .defaults)
            #expect(await UserDefaultsTelemetrySettingsStore(suiteName: name).loadDocument() == SettingsDocument())
        }
    }

    @Test("The store uses the given user defaults, and has a key for each field")
    func keys() async throws {
        try await withSuite { name in
            let store = UserDefaultsTelemetrySettingsStore(userDefaults: try #require(UserDefaults(suiteName: name)))
            await store.changeDocument { $0 = Self.document }
            let defaults = try #require(UserDefaults(suiteName: name))
            defaults.synchronize()
            #expect(defaults.object(forKey: "telemetry.requested") as? Bool == true)
            #expect(defaults.object(forKey: "telemetry.sendingEnabled") as? Bool == true)
            #expect(defaults.string(forKey: "telemetry.clientIdentifier") == "é/👩‍👩‍👧")
            #expect(defaults.integer(forKey: "telemetry.optOuts") == 3)
            #expect(defaults.object(forKey: "telemetry.embeddedWork") != nil)
        }
    }

    @Test(
        "Without own keys the reference implementation's keys are read; a refusal, and a session that the app forced, is no consent",
        arguments: [(isRequested: true, isForced: false), (false, false), (true, true)])
    func referenceKeys(isRequested: Bool, isForced: Bool) async throws {
        try await withSuite { name in
            let defaults = try #require(UserDefaults(suiteName: name))
            defaults.set(isRequested, forKey: "telemetryRequested")
            defaults.set(true, forKey: "telemetrySendingEnabled")
            defaults.set(isForced, forKey: "forceOnActive")
            defaults.set("abc", forKey: "clientIdentifier")
            defaults.synchronize()
            let store = UserDefaultsTelemetrySettingsStore(suiteName: name)
            let isConsent = isRequested && !isForced
            let expected = TelemetrySettings(
                telemetryRequested: isConsent, telemetrySendingEnabled: isConsent, clientIdentifier: "abc")
            #expect(await store.load() == expected)
            #expect(await store.update { _ in } == expected)
            #expect(await UserDefaultsTelemetrySettingsStore(suiteName: name).load() == expected)
        }
    }

    @Test("Values of wrong types under the reference implementation's keys are ignored")
    func oddReferenceKeys() async throws {
        try await withSuite { name in
            let defaults = try #require(UserDefaults(suiteName: name))
            defaults.set("of somebody else", forKey: "clientIdentifier")
            defaults.synchronize()
            let log = DiagnosticsLog()
            let store = UserDefaultsTelemetrySettingsStore(suiteName: name, diagnostics: log.handler)
            #expect(await store.load() == .defaults)
            defaults.set(true, forKey: "telemetryRequested")
            defaults.set(["a", "list"], forKey: "clientIdentifier")
            defaults.synchronize()
            #expect(await store.load() == TelemetrySettings(telemetryRequested: true))
            #expect(log.kinds.isEmpty)
        }
    }

    @Test("An opt-out and a reset permanently override the reference implementation's keys", arguments: [true, false])
    func overriddenReferenceKeys(isReset: Bool) async throws {
        try await withSuite { name in
            let defaults = try #require(UserDefaults(suiteName: name))
            defaults.set(true, forKey: "telemetryRequested")
            defaults.set(true, forKey: "telemetrySendingEnabled")
            defaults.set("abc", forKey: "clientIdentifier")
            defaults.synchronize()
            let store = UserDefaultsTelemetrySettingsStore(suiteName: name)
            try #require(await store.load().telemetryRequested)
            if isReset {
                await store.changeDocument { $0.embeddedWork.add(.init(clientId: "abc")) }
                await store.reset()
                #expect(await store.loadDocument() == SettingsDocument())
            } else {
                _ = await store.recordOptOut { $0 = .defaults }
            }
            #expect(await store.load() == .defaults)
            #expect(await UserDefaultsTelemetrySettingsStore(suiteName: name).load() == .defaults)
            await store.reset()
            #expect(await UserDefaultsTelemetrySettingsStore(suiteName: name).load() == .defaults)
        }
    }

    @Test("Values that are not settings read as defaults and are reported; a reset removes only the store's keys")
    func oddValues() async throws {
        try await withSuite { name in
            let defaults = try #require(UserDefaults(suiteName: name))
            defaults.set("maybe", forKey: "telemetry.requested")
            defaults.set(true, forKey: "somebody.elses")
            defaults.synchronize()
            let log = DiagnosticsLog()
            let store = UserDefaultsTelemetrySettingsStore(suiteName: name, diagnostics: log.handler)
            #expect(await store.load() == .defaults)
            #expect(log.kinds == [.storageFailed])
            await store.reset()
            defaults.synchronize()
            #expect(defaults.object(forKey: "telemetry.requested") == nil)
            #expect(defaults.object(forKey: "somebody.elses") as? Bool == true)
        }
    }

    @Test("Concurrent updates from several stores of one suite are all applied")
    func concurrentUpdates() async throws {
        try await withSuite { name in
            await withTaskGroup { group in
                for _ in 0..<4 {
                    let store = UserDefaultsTelemetrySettingsStore(suiteName: name)
                    for _ in 0..<10 { group.addTask { _ = await countUp(store) } }
                }
            }
            #expect(await UserDefaultsTelemetrySettingsStore(suiteName: name).load().clientIdentifier == "40")
        }
    }
}
