import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// A database that the tests of ``RelayStorage`` use. To test another one, add it to ``all``.
struct StorageDriver: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether data persists when the same location is opened again, also by two storages concurrently.
    let isPersistent: Bool
    /// Opens the storage in a directory of the test.
    let open: @Sendable (_ place: URL, RelayStorageConfiguration) async throws -> any RelayStorage
    /// Runs a test that uses the directory, and then removes what it stored elsewhere.
    var run: @Sendable (_ place: URL, _ test: () async throws -> Void) async throws -> Void = { try await $1() }

    var testDescription: String { name }

    static let all = local + shared

    static let memory = StorageDriver(name: "memory", isPersistent: false) { try SQLiteRelayStorage(inMemory: $1) }
    static let file = StorageDriver(name: "file", isPersistent: true) {
        try SQLiteRelayStorage(file: $0.appending(path: "deep/relay.sqlite"), configuration: $1)
    }
    private static let local = [
        memory, file,
        StorageDriver(name: "merging", isPersistent: false) {
            try AlteredStorage.merging(try SQLiteRelayStorage(inMemory: $1))
        },
    ]
    static let persistent = all.filter(\.isPersistent)
}

/// A temporary directory for a test's storages, and their clocks.
struct StorageBench {
    let driver: StorageDriver
    let place: URL
    var time = TestTime()
    let clock = ManualClock()

    static func run<Result>(
        _ driver: StorageDriver, time: TestTime = TestTime(), _ body: (StorageBench) async throws -> Result
    ) async throws -> Result {
        try await TestTurns.run {
            try await withTemporaryDirectory { place in
                var result: Result?
                try await driver.run(place) { result = try await body(StorageBench(driver: driver, place: place, time: time)) }
                return try #require(result)
            }
        }
    }

    /// Runs `body` with the opened storage.
    func open<Result>(
        events: RelayEventRetention = .init(), debugLogs: DebugLogRetention = .init(),
        _ configure: (inout RelayStorageConfiguration) -> Void = { _ in },
        _ body: (any RelayStorage) async throws -> Result
    ) async throws -> Result {
        var configuration = RelayStorageConfiguration()
        configuration.events = events
        configuration.debugLogs = debugLogs
        configuration.logger = Bench.logger()
        configuration.now = { [time] in time.now }
        configuration.uptime = { [time] in time.uptime }
        configuration.clock = clock
        configure(&configuration)
        let storage = try await driver.open(place, configuration)
        do {
            let result = try await body(storage)
            try await storage.close()
            return result
        } catch {
            try? await storage.close()
            throw error
        }
    }

    /// Runs `body` with an opened storage of a driver.
    static func open<Result>(
        _ driver: StorageDriver, events: RelayEventRetention = .init(), debugLogs: DebugLogRetention = .init(),
        time: TestTime = TestTime(), _ body: (any RelayStorage) async throws -> Result
    ) async throws -> Result {
        try await run(driver, time: time) { try await $0.open(events: events, debugLogs: debugLogs, { _ in }, body) }
    }
}

/// Sample events.
enum Sample {
    /// The event `e<number>`; its text is its number.
    static func event(
        _ number: Int, client: String? = "c", session: String = "s", name: String = "n", scenario: String? = nil,
        level: TelemetryLogLevel = .info, text: String? = nil
    ) -> SampleEvent {
        SampleEvent(
            clientId: client, sessionId: session, eventId: "e\(number)", name: name, time: RelayTime(seconds: Int64(number)),
            scenario: scenario, level: level, text: text ?? "\(number)")
    }

    static func events(_ numbers: ClosedRange<Int>, client: String? = "c") -> [SampleEvent] {
        numbers.map { event($0, client: client) }
    }
}

extension RelayStorage {
    /// Runs the background work during `body`.
    func whileRunning(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await run() }
            try await body()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// The strings of all matching events, read page by page.
    func texts(
        _ filter: RelayEventFilter = .all, order: RelayEventOrder = .ascending, limit: Int = 1000
    ) async throws -> [String] {
        var texts: [String] = []
        var cursor: RelayEventCursor?
        while true {
            let page = try await events.page(matching: filter, after: cursor, limit: limit, order: order)
            texts += page.events.map(\.text)
            cursor = page.cursor
            if !page.hasMore { return texts }
        }
    }

    /// All matching records, read page by page.
    func allRecords(
        matching query: TelemetryRecordQuery, of clients: Set<String>? = nil, limit: Int = .max, bytes: Int = 4 << 20
    ) async throws -> [RelayRecord] {
        var records: [RelayRecord] = []
        var request = RelayRecordPageRequest(limit: limit, bytes: bytes)
        while true {
            let page = try await self.records.page(matching: query, of: clients, request)
            records += page.records
            request.after = page.cursor
            if !page.hasMore { return records }
        }
    }

    func page(after cursor: RelayEventCursor?, limit: Int = 1000) async throws -> RelayEventPage {
        try await events.page(matching: .all, after: cursor, limit: limit, order: .ascending)
    }
}
