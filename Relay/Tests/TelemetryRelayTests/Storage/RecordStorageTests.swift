import Foundation
import TelemetryModels
import TelemetryTransport
import Testing

@testable import TelemetryRelay

struct RecordStorageTests {
    private struct Forbidden: Error {}

    private static func record(
        _ name: String, type: String = "T", tag: String? = nil, _ fields: [String: TelemetryValue] = [:]
    ) -> RelayRecord {
        var record = TelemetryRecord(recordType: type, recordID: .init(recordName: name))
        record.changeTag = tag
        for (field, value) in fields { record[field] = value }
        return RelayRecord(record)
    }

    private enum Tag: CaseIterable { case none, right, wrong }
    private enum Outcome: Equatable { case saved, conflict, notFound }

    private static let policies: [(TelemetrySavePolicy, isStored: Bool, Tag, Outcome)] = [
        (.insert, false, .none, .saved), (.insert, false, .wrong, .saved), (.insert, true, .none, .conflict),
        (.insert, true, .right, .conflict), (.ifUnchanged, false, .none, .saved), (.ifUnchanged, false, .wrong, .notFound),
        (.ifUnchanged, true, .none, .conflict), (.ifUnchanged, true, .wrong, .conflict), (.ifUnchanged, true, .right, .saved),
        (.overwrite, false, .none, .saved), (.overwrite, false, .wrong, .saved), (.overwrite, true, .none, .saved),
        (.overwrite, true, .wrong, .saved), (.overwrite, true, .right, .saved),
    ]

    @Test("A policy saves, or reports the stored record or a missing one", arguments: StorageDriver.all)
    func policies(driver: StorageDriver) async throws {
        for (policy, isStored, tag, expected) in Self.policies {
            try await StorageBench.open(driver) { storage in
                var stored: RelayRecord?
                if isStored { stored = try await storage.records.save([Self.record("r", ["a": 1])], policy: .insert).saved.first }
                let tags: [Tag: String?] = [.none: nil, .right: stored?.record.changeTag, .wrong: "x"]
                let result = try await storage.records.save(
                    [Self.record("r", tag: tags[tag] ?? nil, ["a": 2])], policy: policy)
                switch expected {
                case .saved:
                    let saved = try #require(result.saved.first)
                    #expect(saved.record.changeTag != nil && saved.record.changeTag != stored?.record.changeTag)
                    #expect(saved.record["a"] == 2 && result.failures.isEmpty)
                    #expect(try await storage.records.record(named: "r") == saved)
                case .conflict:
                    let stored = try #require(stored)
                    #expect(result == .init(saved: [], failures: [.init(recordName: "r", refusal: .conflict(stored: stored))]))
                case .notFound:
                    #expect(result == .init(saved: [], failures: [.init(recordName: "r", refusal: .notFound)]))
                }
            }
        }
    }

    @Test("Valid records of a save are saved in order; the others are reported", arguments: StorageDriver.all)
    func several(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            let stored = try await storage.records.save([Self.record("b", ["a": 1])], policy: .insert).saved[0]
            let result = try await storage.records.save(["c", "b", "a", "c"].map { Self.record($0, ["a": 2]) }, policy: .insert)
            #expect(result.saved.map(\.name) == ["c", "a"])
            #expect(
                result.failures == [
                    .init(recordName: "b", refusal: .conflict(stored: stored)),
                    .init(recordName: "c", refusal: .conflict(stored: result.saved[0])),
                ])
            #expect(try await storage.usage().records == 3)
        }
    }

    @Test("Every kind of value, name and date digit is returned unchanged", arguments: StorageDriver.all)
    func values(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            var record = Self.record(
                "n\0\u{e9}/..", type: "T\0",
                [
                    "s": .string("a\0\u{1F600}"), "i": .int(.min), "d": .double(2), "nan": .double(.nan), "n": .double(-0.0),
                    "b": .bool(true), "t": .date(Date(timeIntervalSince1970: 1_795_248_000.123456)), "\u{0}": 1,
                ])
            record.dateTexts = ["t": "2026-11-21T08:00:00.123456789Z", "s": "not a date", "gone": "2026-11-21T08:00:00Z"]
            let saved = try await storage.records.save([record], policy: .insert).saved[0]
            #expect(saved.dateTexts == ["t": "2026-11-21T08:00:00.123456789Z"])
            let found = try #require(try await storage.records.record(named: "n\0e\u{301}/.."))
            #expect(found.record.recordType == "T\0" && found.dateTexts == saved.dateTexts)
            for (field, value) in record.record.fields where field != "nan" { #expect(found.record[field] == value, "\(field)") }
            #expect(found.record["nan"]?.doubleValue?.isNaN == true)
            #expect(found.record["n"]?.doubleValue?.sign == .minus)
            #expect(try await storage.records.record(named: "n") == nil)
            let all = try await storage.allRecords(matching: .init(recordType: "T\0"))
            #expect(all.map(\.name) == [found.name] && all[0].dateTexts == saved.dateTexts)
        }
    }

    @Test(
        "The admission check gets the stored record, may change the saved one, and cancels the call by throwing",
        arguments: StorageDriver.all)
    func admission(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            let first = try await storage.records.save([Self.record("a", ["v": 1]), Self.record("b")], policy: .insert).saved
            let result = try await storage.records.save([Self.record("a", ["v": 2]), Self.record("new")], policy: .overwrite) {
                new, old in
                var new = new
                new.record["old"] = old?.record["v"] ?? -1
                return new
            }
            #expect(result.saved.map { $0.record["old"] } == [1, -1])
            await #expect(throws: Forbidden.self) {
                try await storage.records.save([Self.record("a", ["v": 3]), Self.record("b", ["v": 3])], policy: .overwrite) {
                    new, old in
                    if old == first[1] { throw Forbidden() }
                    return new
                }
            }
            #expect(try await storage.records.record(named: "a") == result.saved[0])
            await #expect(throws: Forbidden.self) {
                try await storage.records.delete(named: ["a", "b"]) { if $0.name == "b" { throw Forbidden() } else { true } }
            }
            #expect(try await storage.usage().records == 3)
            #expect(try await storage.records.delete(named: ["a", "b", "none", "a"]) { $0.name != "b" } == 1)
            #expect(try await storage.records.record(named: "b") == first[1])
            #expect(try await storage.records.record(named: "a") == nil)
        }
    }

    @Test("Names are compared by canonical equivalence, and very long ones by their bytes", arguments: StorageDriver.all)
    func names(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            for (length, isEqual) in [(5_000, true), (9_000, false)] {
                let stored = String(repeating: "\u{e9}", count: length)
                _ = try await storage.records.save([Self.record(stored)], policy: .insert)
                let other = String(repeating: "e\u{301}", count: length)
                #expect(try await (storage.records.record(named: other) != nil) == isEqual)
                #expect(try await storage.records.delete(named: [other]) == (isEqual ? 1 : 0))
                #expect(try await (storage.records.record(named: stored) == nil) == isEqual)
            }
        }
    }

    @Test("Exactly one of several concurrent saves of one version succeeds", arguments: StorageDriver.all)
    func race(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            let tag = try await storage.records.save([Self.record("r")], policy: .insert).saved[0].record.changeTag
            let winners = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await storage.records.save(
                            [Self.record("r", tag: tag, ["n": .int(Int64(number))])], policy: .ifUnchanged
                        )
                        .saved.count
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(winners == 1)
        }
    }

    @Test("A query selects records by type, conditions and clients, in its order", arguments: StorageDriver.all)
    func query(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            _ = try await storage.records.save(
                [
                    Self.record("1", ["clientid": "a", "on": true, "n": 3]),
                    Self.record("2", ["clientid": "b", "on": 1, "n": 1]),
                    Self.record("3", ["clientid": "e\u{301}", "on": false]), Self.record("4", ["n": 2]),
                    Self.record("5", type: "U", ["clientid": "a"]),
                ], policy: .insert)
            func names(
                _ conditions: [String: TelemetryValue] = [:], sort: String? = nil, ascending: Bool = true,
                of clients: Set<String>? = nil
            ) async throws -> [String] {
                let query = TelemetryRecordQuery(
                    recordType: "T", conditions: conditions, sortField: sort, ascending: ascending)
                return try await storage.allRecords(matching: query, of: clients).map(\.name)
            }
            #expect(try await names() == ["1", "2", "3", "4"])
            #expect(try await names(sort: "n") == ["2", "4", "1", "3"])
            #expect(try await names(sort: "n", ascending: false) == ["1", "4", "2", "3"])
            #expect(try await names(["on": true]) == ["1", "2"])
            #expect(try await names(["on": true, "n": 1]) == ["2"])
            #expect(try await names(["clientid": "\u{e9}"]) == ["3"])
            #expect(try await names(["clientid": 1]) == [])
            #expect(try await names(of: ["a", "\u{e9}"]) == ["1", "3"])
            #expect(try await names(["clientid": "a"], of: ["b"]) == [])
            #expect(try await names(["clientid": "a"], of: ["a", "b"]) == ["1"])
            #expect(try await names(of: []) == [])
        }
    }

    @Test("A client's records of some types are counted without those of some names", arguments: StorageDriver.all)
    func usage(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            func usage(_ client: String, _ types: [String], without names: [String] = []) async throws -> RelayRecordUsage {
                try await storage.records.usage(of: client, types: types, without: names)
            }
            #expect(try await usage("a", ["T"]) == .init(count: 0, bytes: 0))
            let date = TelemetryValue.date(Date(timeIntervalSince1970: 1_795_248_000))
            var dated = Self.record("1", ["clientid": "a", "created": date])
            dated.dateTexts = ["created": "2026-11-21T08:00:00.123456789Z"]
            _ = try await storage.records.save(
                [
                    dated, Self.record("2", ["clientid": "cafe\u{301}", "t": .string(String(repeating: "x", count: 1_000))]),
                    Self.record("3", type: "U", ["clientid": "caf\u{e9}"]),
                    Self.record("4", type: "V", ["clientid": "caf\u{e9}"]),
                ], policy: .insert)
            let one = try await usage("a", ["T"])
            #expect(one.count == 1 && (150..<250).contains(one.bytes))
            let both = try await usage("caf\u{e9}", ["T", "U"])
            #expect(both.count == 2 && (1_100..<1_300).contains(both.bytes))
            #expect(try await usage("caf\u{e9}", ["T", "U"], without: ["2"]).count == 1)
            #expect(try await usage("caf\u{e9}", ["T", "U"], without: ["2", "3", "1"]) == .init(count: 0, bytes: 0))
        }
    }

    @Test("Subscriptions are separate for each owner", arguments: StorageDriver.all)
    func subscriptions(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            let first = TelemetrySubscription(id: "s", recordType: "T", clientId: "a")
            let second = TelemetrySubscription(id: "s", recordType: "U")
            try await storage.subscriptions.save(first, owner: "o")
            try await storage.subscriptions.save(second, owner: "p")
            #expect(try await storage.subscriptions.subscription(withID: "s", owner: "o") == first)
            #expect(try await storage.subscriptions.subscription(withID: "s", owner: "p") == second)
            #expect(try await !storage.subscriptions.delete(withID: "s", owner: "q"))
            #expect(try await storage.subscriptions.delete(withID: "s", owner: "p"))
            #expect(try await storage.subscriptions.all(owner: "p") == [])
            try await storage.subscriptions.save(second, owner: "o")
            try await storage.subscriptions.save(.init(id: "a", recordType: "T"), owner: "o")
            #expect(try await storage.subscriptions.all(owner: "o") == [.init(id: "a", recordType: "T"), second])
        }
    }
}
