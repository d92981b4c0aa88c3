import Foundation
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct FileDamageTests {
    @Test("A store without its journal or indexes rebuilds them, and still recognizes every event")
    func lostFiles() async throws {
        try await withTemporaryDirectory { directory in
            let all = events(1...40, client: "a") + events(1...40, client: "b", session: "t")
            for lost in ["journal", "journal/1.log", "events/a/identity", "events/b/lock", "format.json"] {
                try? FileManager.default.removeItem(at: directory)
                let store = try FileTelemetryTransport(directory: directory, configuration: .init(segmentBytes: 1_000))
                for start in stride(from: 0, to: 80, by: 8) { try await store.append(Array(all[start..<start + 8])) }
                try FileManager.default.removeItem(at: directory.appending(path: lost))
                let other = try FileTelemetryTransport(directory: directory)
                #expect(Set(try await other.fetchAllEvents()) == Set(all), "\(lost)")
                try await other.append(all)
                try await store.append(all + [event(41, client: "a")])
                #expect(try await other.countEvents() == 81, "\(lost)")
                #expect(try await other.fetchAllEvents().count == 81, "\(lost)")
            }
        }
    }

    @Test("After a restart of the machine, an index with unsynchronized parts is rebuilt, and deleted events stay deleted")
    func restart() async throws {
        try await withTemporaryDirectory { directory in
            func store(boot: UInt64) throws -> FileTelemetryTransport {
                try FileTelemetryTransport(
                    directory: directory, configuration: .init(durability: .system), system: FileSystem(boot: boot))
            }
            let all = (0..<90).map { TelemetryEvent(eventId: "e\($0)", clientId: "c", sessionId: "s", name: "n\($0 % 3)") }
            try await store(boot: 1).append(all)
            #expect(try await store(boot: 1).deleteEvents(matching: .init(names: ["n0"])) == 30)
            let identity = directory.appending(path: "events/c/identity")
            let complete = try Data(contentsOf: identity)
            // The second half of the table was not written to disk.
            var torn = complete
            torn.replaceSubrange(4_096 + 2_048..<complete.count, with: Data(count: complete.count - 4_096 - 2_048))
            try torn.write(to: identity)
            let other = try store(boot: 2)
            try await other.append(all.filter { $0.name != "n0" })
            #expect(try await other.countEvents() == 60)
            #expect(try await other.fetchAllEvents() == all.filter { $0.name != "n0" })

            try complete.write(to: identity)
            let third = try store(boot: 3)
            try await third.append(all)
            #expect(try await third.fetchAllEvents() == all.filter { $0.name != "n0" })
        }
    }

    @Test("A directory that is lost while in use is created again, and viewers continue with new events")
    func lostDirectory() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = FileTelemetryTransport.Configuration(pollInterval: .milliseconds(20))
            let writer = try FileTelemetryTransport(directory: directory, configuration: configuration)
            let viewer = try FileTelemetryTransport(directory: directory, configuration: configuration)
            try await writer.append(events(1...5))
            var stream = viewer.eventStream().makeAsyncIterator()
            for sequence in 1...5 as ClosedRange<UInt64> { #expect(try await stream.next()?.sequence == sequence) }
            try FileManager.default.removeItem(at: directory)
            try Data().write(to: directory)
            #expect(await code { try await writer.append(events(6...9)) } == .unavailable)
            #expect(await code { _ = try await viewer.records(matching: .init(recordType: "t")) } == .unavailable)
            #expect(await code { _ = try await viewer.record(withID: "r") } == .unavailable)
            #expect(await code { _ = try await viewer.subscription(withID: "s") } == .unavailable)
            #expect(await code { _ = try await viewer.countEvents() } == .unavailable)
            try FileManager.default.removeItem(at: directory)
            try await writer.append(events(6...9))
            for sequence in 6...9 as ClosedRange<UInt64> { #expect(try await stream.next()?.sequence == sequence) }
            try await viewer.createTelemetryClient(clientId: "c", isEnabled: true)
            #expect(try await writer.fetchTelemetryClients().count == 1)
        }
    }

    @Test("Damage that a query comes upon is reported, and other events are found in their order")
    func damageOfQuery() async throws {
        try await withTemporaryDirectory { directory in
            let writer = try FileTelemetryTransport(directory: directory)
            let all = (1...400 as ClosedRange<UInt64>).map { event($0, name: "n\($0)") }
            for start in stride(from: 0, to: 400, by: 4) { try await writer.append(Array(all[start..<start + 4])) }
            let segment = try #require(try segments(in: directory).first)
            var data = try Data(contentsOf: segment)
            for name in ["\"n7\"", "\"n333\""] {
                let place = try #require(data.range(of: Data(name.utf8)))
                data[place.lowerBound] = UInt8(ascii: "x")
            }
            try data.write(to: segment)
            let told = Told()
            let reader = try FileTelemetryTransport(directory: directory, configuration: .init(diagnostics: { told.append($0) }))
            let result = try await reader.result(of: TelemetryQuery("level:* | limit 390"), matching: .all, now: Date())
            #expect(result.events == Array(all.filter { ![7, 333].contains($0.sequence) }.prefix(390)))
            #expect(result.matched == 398)
            #expect(told.all.count { $0.kind == .corruptFile } == 2)
        }
    }

    @Test("Random damage to any file traps in no call, is reported, and leaves the store usable")
    func randomDamage() async throws {
        try await withTemporaryDirectory { directory in
            var random = SeededGenerator(seed: randomSeed)
            let told = Told()
            let configuration = FileTelemetryTransport.Configuration(
                segmentBytes: 3_000, journalBytes: 3_000, diagnostics: { told.append($0) })
            let viewer = try FileTelemetryTransport(directory: directory, configuration: configuration)
            var cursor: TelemetryCursor?
            for round in 0..<60 as Range<UInt64> {
                let store = try FileTelemetryTransport(directory: directory, configuration: configuration)
                let client = "c\(round % 3)"
                try await store.append(events(round * 10 + 1...round * 10 + 10, client: client))
                _ = try await store.save(
                    [TelemetryRecord(recordType: "t", recordID: .init(recordName: client))], policy: .overwrite)
                let names = try files(below: directory).keys.filter { $0 != "format.json" }.sorted()
                let url = directory.appending(path: names[Int(random.next() % UInt64(names.count))])
                var data = try Data(contentsOf: url)
                switch random.next() % 4 {
                case 0: data = data.prefix(Int(random.next() % UInt64(data.count + 1)))
                case 1: data = Data()
                default:
                    for _ in 0..<random.next() % 20 where !data.isEmpty {
                        data[Int(random.next() % UInt64(data.count))] = UInt8(truncatingIfNeeded: random.next())
                    }
                }
                // In place, as a disk's damage is, so that open files have it.
                let handle = try FileHandle(forWritingTo: url)
                try handle.truncate(atOffset: 0)
                try handle.write(contentsOf: data)
                try handle.close()
                _ = try await viewer.events(matching: .all, after: cursor, limit: 1_000)
                cursor = try await viewer.events(matching: .all, after: nil, limit: 100).cursor
                _ = try await viewer.records(matching: .init(recordType: "t"))
                _ = try await viewer.deleteEvents(matching: .init(clientId: client, names: ["odd"]))
            }
            // Events that are stored from now on can be read.
            let last = events(1_001...1_010, client: "last")
            try await viewer.append(last)
            let found = try await viewer.events(matching: .init(clientId: "last"), after: nil, limit: 100).events
            #expect(found == last, "seed \(randomSeed)")
            #expect(!told.all.isEmpty)
        }
    }
}
