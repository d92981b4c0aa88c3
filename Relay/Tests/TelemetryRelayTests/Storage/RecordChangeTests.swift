import TelemetryModels
import TelemetryTransport
import Testing

@testable import TelemetryRelay

struct RecordChangeTests {
    private static func record(_ name: String, client: String? = nil) -> RelayRecord {
        var record = TelemetryRecord(recordType: "T", recordID: .init(recordName: name))
        record["clientid"] = client.map(TelemetryValue.string)
        return RelayRecord(record)
    }

    @Test("A reader resumes from a change with all later changes", arguments: StorageDriver.all)
    func resume(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            let start = try await storage.records.latestChange()
            #expect(try await storage.records.changes(after: start, limit: 10) == [])
            _ = try await storage.records.save([Self.record("a", client: "c"), Self.record("b")], policy: .insert)
            _ = try await storage.records.save([Self.record("a", client: "d"), Self.record("b")], policy: .insert)
            _ = try await storage.records.save([Self.record("a", client: "d")], policy: .overwrite)
            _ = try await storage.records.delete(named: ["b", "none"])
            let changes = try #require(try await storage.records.changes(after: start, limit: 10))
            #expect(changes.map(\.recordName) == ["a", "b", "a", "b"])
            #expect(changes.map(\.clientId) == ["c", nil, "d", nil])
            #expect(changes.map(\.previousClientId) == [nil, nil, "c", nil])
            #expect(try await storage.records.changes(after: changes[1].position, limit: 1) == [changes[2]])
            #expect(try await storage.records.changes(after: changes[3].position, limit: 1) == [])
            #expect(try await storage.records.latestChange() == changes[3].position)
        }
    }

    @Test("If the missed changes are unknown, the result is nil", arguments: StorageDriver.all)
    func tooOld(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            try await bench.open {
                $0.recordChanges = 3
            } _: { storage in
                let start = try await storage.records.latestChange()
                var positions = [start]
                for number in 1...5 {
                    _ = try await storage.records.save([Self.record("\(number)")], policy: .insert)
                    positions.append(try await storage.records.latestChange())
                }
                let known = try await positions.asyncMap { try await storage.records.changes(after: $0, limit: 9)?.count }
                #expect(known == [nil, nil, 3, 2, 1, 0])
                for text in ["", "1", "x-1", positions[5].rawValue + "0"] {
                    #expect(try await storage.records.changes(after: .init(rawValue: text), limit: 9) == nil)
                }
            }
        }
    }

    @Test("The kept changes have a limited size", arguments: StorageDriver.all)
    func bytes(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            try await bench.open {
                $0.recordChangeBytes = 30_000
            } _: { storage in
                let start = try await storage.records.latestChange()
                let name = String(repeating: "x", count: 8_000)
                var positions: [RelayChangePosition] = []
                for _ in 1...3 {
                    _ = try await storage.records.save([Self.record(name + "1"), Self.record(name + "2")], policy: .overwrite)
                    positions.append(try await storage.records.latestChange())
                }
                #expect(try await (24_000...38_000).contains(storage.usage().recordChangeBytes))
                #expect(try await storage.records.changes(after: start, limit: 9) == nil)
                #expect(try await storage.records.changes(after: positions[1], limit: 9)?.count == 2)
                _ = try await storage.records.delete(named: [name + "1"])
                #expect(try await storage.records.changes(after: positions[2], limit: 9)?.count == 1)
                #expect(try await (24_000...38_000).contains(storage.usage().recordChangeBytes))
                // A change that is larger than the limit is kept alone.
                let large = String(repeating: "y", count: 40_000)
                _ = try await storage.records.save([Self.record(large)], policy: .insert)
                let latest = try await storage.records.latestChange()
                _ = try await storage.records.save([Self.record(large)], policy: .overwrite)
                #expect(try await storage.records.changes(after: latest, limit: 9)?.map(\.recordName) == [large])
                #expect(try await storage.usage().recordChangeBytes < 50_000)
            }
        }
    }

    @Test("A change matches subscriptions to its current and its previous client")
    func matching() {
        let change = RelayRecordChange(
            position: .init(rawValue: ""), recordType: "T", recordName: "r", clientId: "a", previousClientId: "b")
        let matching = [nil, "a", "b", "c"].map { change.matches(.init(id: "s", recordType: "T", clientId: $0)) }
        #expect(matching == [true, true, true, false])
        #expect(!change.matches(.init(id: "s", recordType: "U")))
        #expect([["a"], ["b"], ["c"], []].map { change.concerns(Set($0)) } == [true, true, false, false])
        let rule = RelayRecordChange(position: .init(rawValue: ""), recordType: "T", recordName: "r", clientId: nil)
        #expect(rule.concerns(["c"]))
        #expect(!rule.matches(.init(id: "s", recordType: "T", clientId: "c")))
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
