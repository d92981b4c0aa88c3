import Foundation
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryRelay

struct HintTests {
    private static func record(_ name: String, client: String?) -> RelayRecord {
        var record = TelemetryRecord(recordType: "T", recordID: .init(recordName: name))
        record["clientid"] = client.map(TelemetryValue.string)
        return RelayRecord(record)
    }

    /// The number of elements in a stream once the storage is closed.
    private static func count(_ stream: AsyncStream<Void>) async -> Int { await stream.reduce(0) { count, _ in count + 1 } }

    @Test("A client's hints yield one element for several events, and none for other clients", arguments: StorageDriver.all)
    func events(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            let streams = try await bench.open { storage in
                let streams = [nil, ["a"], ["a", "b"], ["c"], []].map { storage.events.hints(of: $0) }
                _ = try await storage.events.append(Sample.events(1...3, client: "a"))
                _ = try await storage.events.append(Sample.events(1...3, client: "b"))
                return streams
            }
            var counts: [Int] = []
            for stream in streams { counts.append(await Self.count(stream)) }
            #expect(counts == [1, 1, 1, 0, 0])
        }
    }

    @Test("Duplicates yield no hints", arguments: StorageDriver.all)
    func duplicates(driver: StorageDriver) async throws {
        let stream = try await StorageBench.open(driver) { storage in
            _ = try await storage.events.append(Sample.events(1...3))
            let stream = storage.events.hints(of: nil)
            _ = try await storage.events.append(Sample.events(1...3))
            return stream
        }
        #expect(await Self.count(stream) == 0)
    }

    @Test("A client's hints cover its records and records without a client", arguments: StorageDriver.all)
    func records(driver: StorageDriver) async throws {
        for (client, expected) in [("a", [1, 1, 0]), (nil, [1, 1, 1])] as [(String?, [Int])] {
            let streams = try await StorageBench.open(driver) { storage in
                let streams = [nil, ["a"], ["b"]].map { storage.records.hints(of: $0) }
                _ = try await storage.records.save([Self.record("r", client: client)], policy: .insert)
                return streams
            }
            var counts: [Int] = []
            for stream in streams { counts.append(await Self.count(stream)) }
            #expect(counts == expected)
        }
    }

    @Test("A record that changes its client yields hints for both; a failed save yields none", arguments: StorageDriver.all)
    func moved(driver: StorageDriver) async throws {
        let streams = try await StorageBench.open(driver) { storage in
            _ = try await storage.records.save([Self.record("r", client: "a")], policy: .insert)
            let nobody = storage.records.hints(of: nil)
            _ = try await storage.records.save([Self.record("r", client: "b")], policy: .insert)
            let streams = [["a"], ["b"]].map { storage.records.hints(of: $0) }
            _ = try await storage.records.save([Self.record("r", client: "b")], policy: .overwrite)
            _ = try await storage.records.delete(named: ["r"])
            return [nobody] + streams
        }
        var counts: [Int] = []
        for stream in streams { counts.append(await Self.count(stream)) }
        #expect(counts == [1, 1, 1])
    }

    @Test("Changes by another relay on the same database yield hints within a second", arguments: StorageDriver.persistent)
    func otherRelay(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            try await bench.open { storage in
                try await bench.open { other in
                    // Each advance wakes a task, which must sleep again before the next one.
                    try await storage.whileRunning {
                        var events = storage.events.hints(of: ["a"]).makeAsyncIterator()
                        var records = storage.records.hints(of: ["a"]).makeAsyncIterator()
                        var tokens = storage.tokens.hints().makeAsyncIterator()
                        var debugLogs = storage.debugLogs.hints().makeAsyncIterator()
                        for turn in 1...2 {
                            _ = try await other.events.append([Sample.event(turn, client: "a")])
                            _ = try await other.records.save([Self.record("r\(turn)", client: "a")], policy: .insert)
                            try await other.tokens.create(
                                .init(name: "t\(turn)", role: .host, created: bench.time.now), hash: Data([UInt8(turn)]))
                            _ = try await other.debugLogs.store([Bench.entry(turn)])
                            await bench.clock.sleepers(atLeast: 3)
                            bench.clock.advance(by: .milliseconds(999))
                            #expect(await events.next() != nil)
                            #expect(await records.next() != nil)
                            #expect(await tokens.next() != nil)
                            #expect(await debugLogs.next() != nil)
                        }
                        #expect(try await storage.texts() == ["1", "2"])
                        #expect(try await storage.tokens.hasTokens())
                    }
                }
            }
        }
    }

    @Test("Two relays on one database share identities, numbers and sessions", arguments: StorageDriver.persistent)
    func twoRelays(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            try await bench.open { storage in
                try await bench.open { other in
                    for round in 0..<10 {
                        async let one = storage.events.append(Sample.events((round * 20)...(round * 20 + 14)))
                        async let two = other.events.append(Sample.events((round * 20 + 5)...(round * 20 + 19)))
                        #expect(try await one.stored + two.stored == 20)
                        if round == 4 {
                            // Deletes the sessions' rows, so that cached numbers are invalid.
                            _ = try await other.events.delete(matching: .all)
                            try await other.expire()
                        }
                    }
                    #expect(try await storage.events.count(matching: .init(clients: ["c"], sessionId: "s")) == 100)
                    #expect(Set(try await other.texts()) == Set((100..<200).map(String.init)))
                    var cursors: Set<RelayEventCursor> = []
                    for event in try await storage.page(after: nil).events { cursors.insert(event.cursor) }
                    #expect(cursors.count == 100)
                }
            }
        }
    }
}
