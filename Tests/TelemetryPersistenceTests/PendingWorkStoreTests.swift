import Foundation
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import Testing

/// The contract of every store of pending work, including the settings stores.
struct PendingWorkStoreTests {
    enum Place: CaseIterable, Sendable {
        case file, besideSettingsFile, userDefaults, besideUserDefaults

        /// A new instance for the same directory or suite.
        func store(_ directory: URL, _ suite: String, _ log: DiagnosticsLog? = nil) -> any TelemetryPendingWorkStoring {
            switch self {
            case .file: FileTelemetryPendingWorkStore(directory: directory, diagnostics: log?.handler)
            case .besideSettingsFile: FileTelemetrySettingsStore(directory: directory, diagnostics: log?.handler)
            case .userDefaults: UserDefaultsTelemetryPendingWorkStore(suiteName: suite, diagnostics: log?.handler)
            case .besideUserDefaults: UserDefaultsTelemetrySettingsStore(suiteName: suite, diagnostics: log?.handler)
            }
        }

        /// The place of the other kind of store for the same directory or suite.
        var twin: Place {
            switch self {
            case .file: .besideSettingsFile
            case .besideSettingsFile: .file
            case .userDefaults: .besideUserDefaults
            case .besideUserDefaults: .userDefaults
            }
        }
    }

    private static let full = TelemetryPendingWork(
        registrations: ["é/👩‍👩‍👧"], backup: .holds(TelemetrySettings(telemetryRequested: true, clientIdentifier: "k7m2")),
        deletions: [
            .init(
                clientId: "old", sessionEnd: Date(timeIntervalSince1970: 1_795_248_000.123), command: "c", eventsOnly: true,
                sessions: ["s"])
        ])

    private func withPlace(_ body: (URL, String) async throws -> Void) async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            try await withSuite { suite in try await body(directory, suite) }
        }
    }

    @Test("Stored work is read by a new instance, and by the settings store of the same place", arguments: Place.allCases)
    func keeps(place: Place) async throws {
        try await withPlace { directory, suite in
            let store = place.store(directory, suite)
            #expect(await store.loadPendingWork().isEmpty)
            #expect(await store.updatePendingWork { $0 = Self.full } == Self.full)
            #expect(await store.loadPendingWork() == Self.full)
            #expect(await place.store(directory, suite).loadPendingWork() == Self.full)
            #expect(await place.twin.store(directory, suite).loadPendingWork() == Self.full)
            let changed = await place.twin.store(directory, suite).updatePendingWork { $0.deletions = [] }
            #expect(await store.loadPendingWork() == changed)
            await store.removePendingWork()
            #expect(await place.store(directory, suite).loadPendingWork().isEmpty)
        }
    }

    @Test("Reading, removing and an empty change create no file")
    func createsNothing() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let place = directory.appending(path: "state")
            let store = FileTelemetryPendingWorkStore(directory: place)
            _ = await store.loadPendingWork()
            await store.removePendingWork()
            #expect(!FileManager.default.fileExists(atPath: place.text))
            await store.updatePendingWork { $0 = Self.full }
            let names = try place.names
            #expect(names == ["pending-work.json", "pending-work.lock"])
            #expect(try place.permissions == 0o700)
            #expect(try place.appending(path: "pending-work.json").permissions == 0o600)
        }
    }

    @Test("Stores in memory keep and remove the work, and a settings store keeps its settings")
    func memory() async {
        let store = InMemoryTelemetryPendingWorkStore()
        #expect(await store.updatePendingWork { $0 = Self.full } == Self.full)
        #expect(await store.loadPendingWork() == Self.full)
        await store.removePendingWork()
        #expect(await store.loadPendingWork().isEmpty)
        let settings = InMemoryTelemetrySettingsStore()
        await settings.save(TelemetrySettings(telemetryRequested: true))
        await settings.updatePendingWork { $0 = Self.full }
        await settings.reset()
        #expect(await settings.loadPendingWork() == Self.full)
        await settings.save(TelemetrySettings(telemetryRequested: true))
        await settings.removePendingWork()
        #expect(await settings.load().telemetryRequested)
    }

    @Test("Resetting the settings keeps the pending work", arguments: [Place.besideSettingsFile, .besideUserDefaults])
    func reset(place: Place) async throws {
        try await withPlace { directory, suite in
            let store = place.store(directory, suite)
            let settings = try #require(store as? any TelemetrySettingsStoring)
            await settings.save(TelemetrySettings(telemetryRequested: true))
            await store.updatePendingWork { $0 = Self.full }
            await settings.reset()
            #expect(await store.loadPendingWork() == Self.full)
        }
    }

    @Test("Concurrent updates from several stores are all applied", arguments: Place.allCases)
    func concurrentUpdates(place: Place) async throws {
        try await withPlace { directory, suite in
            await withTaskGroup { group in
                for number in 0..<4 {
                    let store = place.store(directory, suite)
                    for count in 0..<10 {
                        group.addTask { _ = await store.updatePendingWork { $0.add(.init(clientId: "\(number).\(count)")) } }
                    }
                }
            }
            #expect(await place.store(directory, suite).loadPendingWork().deletions.count == 40)
        }
    }

    @Test(
        "A file that is not pending work is set aside and reported, and the store keeps working", arguments: ["{", "[]", ""])
    func corruptFile(text: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            try Data(text.utf8).write(to: directory.appending(path: "pending-work.json"))
            let log = DiagnosticsLog()
            let store = FileTelemetryPendingWorkStore(directory: directory, diagnostics: log.handler)
            #expect(await store.loadPendingWork().isEmpty)
            #expect(log.kinds == [.corruptFile])
            #expect(try Data(contentsOf: directory.appending(path: "pending-work.corrupt.json")) == Data(text.utf8))
            await store.updatePendingWork { $0 = Self.full }
            #expect(await FileTelemetryPendingWorkStore(directory: directory).loadPendingWork() == Self.full)
        }
    }

    @Test("A value in user defaults that cannot be read is moved to another key and reported", arguments: ["{", "[]"])
    func corruptDefaults(text: String) async throws {
        try await withSuite { suite in
            let defaults = try #require(UserDefaults(suiteName: suite))
            defaults.set(text, forKey: "telemetry.pendingWork")
            defaults.synchronize()
            let log = DiagnosticsLog()
            let store = UserDefaultsTelemetryPendingWorkStore(suiteName: suite, diagnostics: log.handler)
            #expect(await store.loadPendingWork().isEmpty)
            #expect(log.kinds == [.corruptFile])
            defaults.synchronize()
            #expect(defaults.string(forKey: "telemetry.pendingWork.corrupt") == text)
            await store.updatePendingWork { $0 = Self.full }
            #expect(await UserDefaultsTelemetryPendingWorkStore(suiteName: suite).loadPendingWork() == Self.full)
        }
    }

    @Test("Changes that cannot be written are kept, and later merged with what another store has written")
    func unwritable() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let log = DiagnosticsLog()
            let store = FileTelemetryPendingWorkStore(directory: directory, diagnostics: log.handler)
            let lock = directory.appending(path: "pending-work.lock")
            try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: false)
            #expect(await store.updatePendingWork { $0.add(.init(clientId: "a")) }.deletions.count == 1)
            #expect(await !store.isPendingWorkSaved)
            #expect(log.kinds == [.storageFailed])
            try FileManager.default.removeItem(at: lock)
            await FileTelemetryPendingWorkStore(directory: directory).updatePendingWork { $0.add(.init(clientId: "b")) }
            #expect(await store.loadPendingWork().deletions.map(\.clientId) == ["b", "a"])
            #expect(await store.isPendingWorkSaved)
            let stored = await FileTelemetryPendingWorkStore(directory: directory).loadPendingWork()
            #expect(stored.deletions.map(\.clientId) == ["b", "a"])
        }
    }

    @Test("Concurrent changes of the same work are both kept")
    func merging() {
        let base = TelemetryPendingWork(
            registrations: ["a"], backup: .outdated, deletions: [.init(clientId: "x"), .init(clientId: "y")])
        var (mine, theirs) = (base, base)
        mine.deletions.removeFirst()
        mine.backup = .holds(.defaults)
        mine.removeRegistration(of: "a")
        theirs.addRegistration(of: "b")
        theirs.add(.init(clientId: "z"))
        let merged = theirs.merging(mine, since: base)
        #expect(merged.registrations == ["b"])
        #expect(merged.deletions.map(\.clientId) == ["y", "z"])
        #expect(merged.backup == .holds(.defaults))
        theirs.deletions[0].endsConsent = 1
        #expect(theirs.merging(mine, since: base).deletions.map(\.clientId) == ["x", "y", "z"], "a changed deletion is kept")
        let known = TelemetryPendingWork(backup: .holds(.defaults))
        let doubted = TelemetryPendingWork(backup: .outdated)
        let made = TelemetryPendingWork(backup: .holds(TelemetrySettings(telemetryRequested: true)))
        #expect(doubted.merging(made, since: known).backup == .outdated)
        #expect(known.merging(made, since: known).backup == made.backup)
    }
}
