import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct FileDeletionTests {
    @Test("Deleted events are gone for every transport, their space is freed, and cursors stay valid")
    func deletion() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = FileTelemetryTransport.Configuration(segmentBytes: 20_000)
            let writer = try FileTelemetryTransport(directory: directory, configuration: configuration)
            let viewer = try FileTelemetryTransport(directory: directory)
            let all = (1...900).map { number -> TelemetryEvent in
                let number = UInt64(number)
                return event(number, client: "c\(number / 10 % 3)", session: "s\(number / 150)", name: "n\(number % 4)")
            }
            for start in stride(from: 0, to: 900, by: 30) { try await writer.append(Array(all[start..<start + 30])) }
            var cursors: [(Int, TelemetryCursor)] = []
            for count in [1, 7, 450, 899] {
                let page = try await viewer.events(matching: .all, after: nil, limit: count)
                cursors.append((count, page.cursor))
            }
            let size = try files(below: directory).filter { $0.key.hasSuffix(".jsonl") }.values.reduce(0) { $0 + $1.count }

            let filters: [TelemetryEventFilter] = [
                .init(names: ["n1"]), .init(clientId: "c2", levels: [.info]), .init(sessionId: "s3"),
                .init(since: all[700].timestamp, until: all[710].timestamp), .init(scenarios: []), .init(clientId: "nobody"),
            ]
            var rest = all
            for filter in filters {
                let matching = rest.count(where: filter.matches)
                #expect(try await viewer.deleteEvents(matching: filter) == matching)
                rest.removeAll(where: filter.matches)
                #expect(try await writer.fetchAllEvents() == rest)
                #expect(try await writer.countEvents() == rest.count)
                for (count, cursor) in cursors {
                    let page = try await viewer.events(matching: .all, after: cursor, limit: 1_000)
                    #expect(page.events == rest.filter { $0.sequence > UInt64(count) })
                    #expect(page.skippedEventCount == 0)
                }
            }
            let left = try files(below: directory).filter { $0.key.hasSuffix(".jsonl") }.values.reduce(0) { $0 + $1.count }
            #expect(left < size * rest.count / 900 + size / 7)

            try await writer.append([event(1_000, client: "c1")])
            #expect(try await viewer.deleteEvents(forClient: "c1") == rest.count { $0.clientId == "c1" } + 1)
            #expect(try await viewer.deleteAllEvents() == rest.count { $0.clientId != "c1" })
            #expect(try files(below: directory).keys.allSatisfy { !$0.hasSuffix(".jsonl") })
            try await writer.append([event(1_001, client: "c1")])
            #expect(try await viewer.events(matching: .all, after: cursors[3].1, limit: 9).events.map(\.sequence) == [1_001])
        }
    }

    @Test("Deleting during writes removes only matching events, and returns their exact number")
    func whileWriting() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = FileTelemetryTransport.Configuration(segmentBytes: 5_000, journalBytes: 5_000)
            let writers = try (0..<3).map { _ in
                try FileTelemetryTransport(directory: directory, configuration: configuration)
            }
            let viewer = try FileTelemetryTransport(directory: directory, configuration: configuration)
            let deleted = try await withThrowingTaskGroup(of: Int.self) { group in
                for (number, writer) in writers.enumerated() {
                    group.addTask {
                        for sequence in 1...100 as ClosedRange<UInt64> {
                            let name = sequence.isMultiple(of: 2) ? "even" : "odd"
                            try await writer.append([event(sequence, client: "c", session: "s\(number)", name: name)])
                        }
                        return 0
                    }
                }
                group.addTask {
                    var count = 0
                    for _ in 0..<20 { count += try await viewer.deleteEvents(matching: .init(names: ["even"])) }
                    return count
                }
                return try await group.reduce(0, +)
            }
            let left = try await viewer.deleteEvents(matching: .init(names: ["even"]))
            #expect(deleted + left == 150)
            let all = try await viewer.fetchAllEvents()
            #expect(all.count == 150 && all.allSatisfy { $0.name == "odd" })
            for session in 0..<3 {
                let sequences = all.filter { $0.sessionId == "s\(session)" }.map(\.sequence)
                #expect(sequences == stride(from: 1, to: 100, by: 2).map(UInt64.init))
            }
            #expect(try await viewer.countEvents() == 150)
        }
    }

    @Test("Events after an unreadable header are not assigned to the session before it, nor deleted with it")
    func damagedHeader() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            try await store.append(events(1...3, session: "s1"))
            try await store.append(events(4...6, session: "s2"))
            let client = directory.appending(path: "events/client")
            let names = try FileManager.default.contentsOfDirectory(atPath: client.path)
            let segment = client.appending(path: try #require(names.first { $0.hasSuffix(".jsonl") }))
            let text = try String(contentsOf: segment, encoding: .utf8)
            let damaged = text.replacing("{\"header\":{\"session\":\"s2\"", with: "{\"heaxer\":{\"session\":\"s2\"")
            #expect(damaged != text)
            try Data(damaged.utf8).write(to: segment)
            #expect(try await store.deleteEvents(matching: .init(sessionId: "s1")) == 3)
            // Lines that cannot be read are kept.
            let left = try String(contentsOf: segment, encoding: .utf8)
            for sequence in 4...6 { #expect(left.contains("{\"seq\":\(sequence),")) }
            try await store.append([event(7, session: "s3")])
            _ = try await store.deleteEvents(matching: .init(sessionId: "s1"))
            #expect(try await store.fetchAllEvents() == [event(7, session: "s3")])
        }
    }
}
