import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct FileEventTests {
    @Test("An identifier is stored once: within a batch, across batches, restarts and processes, and after its deletion")
    func once() async throws {
        try await withTemporaryDirectory { directory in
            let odd = ["", "-", "-1", "a", "a-", "a-0", "a-01", "a-1", "a-18446744073709551616", "é-1", "0f5d3c1e-11d2"]
            let batch = odd.map { TelemetryEvent(eventId: $0, clientId: "c", sessionId: "s", name: $0) }
            let first = try FileTelemetryTransport(directory: directory)
            try await first.append(batch + batch)
            try await first.append(batch)
            // The same text in another normalization form.
            try await first.append([TelemetryEvent(eventId: "e\u{301}-1", clientId: "c", sessionId: "s", name: "x")])
            let second = try FileTelemetryTransport(directory: directory)
            try await second.append(batch)
            #expect(try await second.fetchAllEvents().map(\.eventId) == odd)
            #expect(try await second.deleteAllEvents() == odd.count)
            try await first.append(batch)
            #expect(try await FileTelemetryTransport(directory: directory).countEvents() == 0)
        }
    }

    @Test("Thousands of identifiers of both kinds are told apart")
    func manyIdentifiers() async throws {
        try await withTemporaryDirectory { directory in
            let transport = try FileTelemetryTransport(directory: directory)
            var random = SeededGenerator(seed: 7)
            let texts = (0..<1_500).map { _ in "\(random.next())x" } + (0..<1_500).map { "p\($0 % 7)-\($0 * 97)" }
            let all = texts.map { TelemetryEvent(eventId: $0, clientId: "c", sessionId: "s", name: "n") }
            try await transport.append(all)
            try await transport.append(all.shuffled(using: &random))
            #expect(try await transport.fetchAllEvents().map(\.eventId) == texts)
        }
    }

    @Test("A batch of several clients keeps its order, and each page continues after the last one")
    func order() async throws {
        try await withTemporaryDirectory { directory in
            let transport = try FileTelemetryTransport(directory: directory)
            let clients: [String?] = ["a", nil, "b", "A", "-none"]
            var all: [TelemetryEvent] = []
            for number in 1...200 as ClosedRange<UInt64> {
                let client = clients[Int(number / 3) % clients.count]
                all.append(event(number, client: client, session: "s\(number / 20)"))
            }
            try await transport.append(all)
            for limit in [1, 3, 7, 64, 200, 1_000] {
                var found: [TelemetryEvent] = []
                var cursor: TelemetryCursor?
                var hasMore = true
                while hasMore {
                    let page = try await transport.events(matching: .all, after: cursor, limit: limit)
                    #expect(page.events.count <= limit && page.skippedEventCount == 0)
                    found += page.events
                    (cursor, hasMore) = (page.cursor, page.hasMore)
                }
                #expect(found == all)
                #expect(try await transport.events(matching: .all, after: cursor, limit: limit).events.isEmpty)
            }
            for client in clients.compactMap(\.self) {
                let mine = try await transport.events(matching: .init(clientId: client), after: nil, limit: 1_000).events
                #expect(mine == all.filter { $0.clientId == client })
                #expect(try await transport.countEvents(matching: .init(clientId: client)) == mine.count)
            }
        }
    }

    @Test(
        "Hostile names stay inside the directory and distinct",
        arguments: [
            ["../../etc/passwd", "..", ".", "/", "a/b", "a\\b"], ["a\0b", "a", "a\0"], ["A", "a"], ["👩‍👩‍👧", "👩", "ﬁ", "fi"],
            [String(repeating: "x", count: 1_024), String(repeating: "x", count: 1_023)], ["-none", "lock", "identity", "con"],
        ])
    func hostileNames(names: [String]) async throws {
        try await withTemporaryDirectory { parent in
            let directory = parent.appending(path: "store")
            let transport = try FileTelemetryTransport(directory: directory)
            for name in names {
                let large = name + String(repeating: "/..", count: 3_000)
                try await transport.append([
                    TelemetryEvent(eventId: name, clientId: name, sessionId: name, name: large, scenario: large)
                ])
                try await transport.createTelemetryClient(clientId: name, isEnabled: true)
                _ = try await transport.save(
                    [TelemetryRecord(recordType: large, recordID: .init(recordName: large))], policy: .insert)
                _ = try await transport.save(TelemetrySubscription(id: large, recordType: name))
            }
            for name in names {
                let large = name + String(repeating: "/..", count: 3_000)
                let found = try await transport.events(matching: .init(clientId: name), after: nil, limit: 9).events
                #expect(found.map(\.scenario) == [large])
                #expect(try await transport.fetchTelemetryClients(clientId: name).map(\.clientId) == [name])
                #expect(try await transport.record(withID: .init(recordName: large))?.recordType == large)
                #expect(try await transport.subscription(withID: large)?.recordType == name)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path) == ["store"])
        }
    }

    @Test("An event that cannot be stored is refused with its whole batch")
    func refusals() async throws {
        try await withTemporaryDirectory { directory in
            let transport = try FileTelemetryTransport(directory: directory)
            let far = Date(timeIntervalSince1970: 1e13)
            let bad = [
                event(9, client: ""), event(9, client: String(repeating: "x", count: 1_025)),
                event(9, property1: String(repeating: "x", count: 1 << 20)),
                TelemetryEvent(sessionId: "s", name: "n", timestamp: far),
                TelemetryEvent(sessionId: "s", name: "n", timestamp: Date(timeIntervalSince1970: .nan)),
                TelemetryEvent(sessionId: "s", name: "n", attributes: ["a": .date(far)]),
            ]
            for bad in bad {
                #expect(await code { try await transport.append([event(1), bad, event(2)]) } == .invalidArgument)
                // Also in a batch of one client, and in one that is stored in several parts.
                let others = events(1...600, client: bad.clientId == nil ? nil : "client")
                #expect(await code { try await transport.append(others[..<3] + [bad] + others[3..<5]) } == .invalidArgument)
                #expect(await code { try await transport.append(others + [bad]) } == .invalidArgument)
            }
            #expect(try await transport.countEvents() == 0)
            let largest = event(1, property1: String(repeating: "\u{1}", count: 170_000))
            try await transport.append([largest])
            #expect(try await transport.fetchAllEvents() == [largest])
            let other = "0123456789abcdefghjkmnpqrs.1.0.0.0"
            for cursor in ["", "x", "1.2.3", other, "1.0.0.0", "....", "-1.-1.-1.-1.-1"] {
                #expect(
                    await code {
                        _ = try await transport.events(matching: .all, after: .init(rawValue: cursor), limit: 1)
                    } == .invalidArgument)
            }
            #expect(await code { _ = try await transport.events(matching: .all, after: nil, limit: 0) } == .invalidArgument)
        }
    }

    @Test("Events of a hundred tasks on four transports are all stored once, each task's in its order")
    func concurrency() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = FileTelemetryTransport.Configuration(segmentBytes: 8_000, journalBytes: 4_000)
            let transports = try (0..<4).map { _ in
                try FileTelemetryTransport(directory: directory, configuration: configuration)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<100 {
                    group.addTask {
                        for part in 0..<4 as Range<UInt64> {
                            let batch = events(part * 5 + 1...part * 5 + 5, client: "c\(task % 7)", session: "s\(task)")
                            try await transports[task % 4].append(batch)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let all = try await transports[0].fetchAllEvents()
            #expect(all.count == 2_000)
            for task in 0..<100 {
                #expect(all.filter { $0.sessionId == "s\(task)" }.map(\.sequence) == Array(1...20), "task \(task)")
            }
            #expect(try await transports[1].countEvents() == 2_000)
        }
    }
}
