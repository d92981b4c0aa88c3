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
