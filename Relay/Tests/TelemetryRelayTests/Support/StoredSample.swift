import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// Something in every table, in the form in which a relay stores it.
enum StoredSample {
    static func events(_ numbers: ClosedRange<Int>, client: String? = "c") -> [TelemetryEvent] {
        numbers.map { number in
            TelemetryEvent(
                eventId: number % 5 == 0 ? "event \(number)" : "s\(number % 2)-\(number)", clientId: client,
                sessionId: "s\(number % 2)", name: "request.done",
                timestamp: Date(timeIntervalSince1970: TimeInterval(1_764_000_000 + number)), threadId: "t",
                property1: "text \(number)", attributes: ["status": .int(500)], scenario: number % 3 == 0 ? "Network" : nil)
        }
    }

    static func append(
        _ numbers: ClosedRange<Int>, client: String? = "c", to storage: any RelayStorage
    ) async throws -> RelayAppendResult {
        try await storage.events.append(WireEventLines.read(EventLines.encode(events(numbers, client: client)), limits: .init()))
    }

    /// Two clients' events, in compressed blocks and as they arrived; events that retention deleted are not among them.
    static func fill(_ storage: any RelayStorage) async throws {
        _ = try await append(1...20, to: storage)
        _ = try await append(1...5, client: nil, to: storage)
        try await #require(storage.tables).events.merge(after: 0)
        _ = try await append(21...24, to: storage)
        _ = try await storage.events.delete(matching: RelayEventFilter(sessionId: "s0")) { nil }
        for name in ["one", "two"] {
            var record = TelemetryRecord(recordType: "TelemetryScenario", recordID: .init(recordName: name))
            record["clientid"] = .string("c")
            _ = try await storage.records.save([RelayRecord(record)], policy: .insert)
        }
        try await storage.subscriptions.save(.init(id: "s", recordType: "TelemetryScenario", clientId: "c"), owner: "c")
        for (number, role) in [RelayRole.host, .viewer].enumerated() {
            try await storage.tokens.create(
                RelayToken(name: role.rawValue, role: role, created: Date(timeIntervalSince1970: 1_764_000_000)),
                hash: Data(repeating: UInt8(number), count: 32))
        }
        _ = try await storage.clientKeys.bind([RelayClientKey(clientId: "c", hash: Data(repeating: 1, count: 32))])
        _ = try await storage.debugLogs.store([Bench.entry(1), Bench.entry(2)])
        try await storage.audit.append(RelayAuditEntry(.readEvents, by: RelayActor(token: "viewer", role: .viewer), client: "c"))
    }

    /// Expects what ``fill(_:)`` stored, and stores more.
    static func verify(_ storage: any RelayStorage) async throws {
        #expect(try await storage.faults() == [])
        #expect(try await storage.sampleCount() == 15)
        #expect(try await storage.texts(.init(sessionId: "s1")).count == 15)
        #expect(try await append(1...30, to: storage) == .init(stored: 6, duplicates: 24))
        #expect(try await storage.usage().records == 2)
        #expect(try await storage.records.record(named: "one")?.clientId == "c")
        #expect(try await storage.subscriptions.all(owner: "c").count == 1)
        #expect(try await storage.tokens.all().map(\.role) == [.host, .viewer])
        #expect(try await storage.clientKeys.unbound(among: ["c", "d"]) == ["d"])
        #expect(try await storage.debugLogEvents() == ["1", "2"])
        #expect(try await storage.audit.page(matching: .init(), after: nil, limit: 10, order: .ascending).entries.count == 3)
        #expect(try await storage.faults() == [])
    }

    /// Adds a webhook with a delivery, and expects that it is taken, and a client that was seen.
    static func addDelivery(to storage: any RelayStorage) async throws {
        let webhooks = RelayWebhooks(storage: storage.webhooks)
        _ = try await webhooks.add("hook", url: "https://example.com")
        let message = try await webhooks.test("hook")
        #expect(try await storage.webhooks.take(of: nil).map(\.message) == [message])
        let watch = RelayClientWatch(alerts: [], approved: [NameKey.data(of: "c"): "c"], seen: [], interval: 1) { _, _ in true }
        #expect(try await storage.alerts.watch(watch) { RelayAlertMessage(firing: $0, identifier: "", body: Data()) } == [])
        #expect(try await storage.tables?.database.rows("SELECT seen FROM client_seen", []).count == 1)
        #expect(try await storage.faults() == [])
    }

    /// Whether the tests write the fixtures with databases of this version.
    static let writesFixtures = ProcessInfo.processInfo.environment["TELEMETRY_WRITE_FIXTURES"] == "1"
}

extension RelayStorage {
    /// The faults in the tables.
    func faults() async throws -> [String] {
        try await #require(tables).database.read { db in
            var report = RelayCheckReport()
            DatabaseCheck.run(db, &report)
            return report.faults
        }
    }

    /// The number of all events.
    func sampleCount() async throws -> Int { try await events.count(matching: .all) }
}
