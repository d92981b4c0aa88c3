import Foundation
import Synchronization
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// A file system whose operations fail as the test decides.
final class Faults: Sendable {
    private let rule = Mutex<(@Sendable (FileOperation, String) -> Int32?)?>(nil)

    var system: FileSystem { FileSystem(fault: error) }

    @Sendable func error(_ operation: FileOperation, _ path: String) -> Int32? { rule.withLock { $0 }?(operation, path) }

    func set(_ rule: (@Sendable (FileOperation, String) -> Int32?)?) { self.rule.withLock { $0 = rule } }
}

struct FileFaultTests {
    private static let cases: [(Int32, TelemetryTransportError.Code)] = [
        (ENOSPC, .quotaExceeded), (EDQUOT, .quotaExceeded), (EROFS, .unavailable), (EACCES, .unauthorized),
        (EIO, .unavailable), (EMFILE, .unavailable),
    ]

    @Test("An error of the system maps to its code, and the same call succeeds once the error is gone", arguments: cases)
    func codes(errno: Int32, expected: TelemetryTransportError.Code) async throws {
        try await withTemporaryDirectory { directory in
            let faults = Faults()
            let store = try FileTelemetryTransport(directory: directory, configuration: .default, system: faults.system)
            try await store.append(events(1...5))
            let refused: Set<FileOperation> =
                errno == EMFILE ? [.open] : errno == EACCES || errno == EROFS ? [.open, .write, .rename] : [.write]
            faults.set { operation, _ in refused.contains(operation) ? errno : nil }
            let record = TelemetryRecord(recordType: "t", recordID: "r")
            // Another client, whose files are not open yet.
            #expect(await code { try await store.append(events(1...5, client: "other")) } == expected)
            #expect(await code { _ = try await store.save([record], policy: .insert) } == expected)
            if errno == EMFILE {
                #expect(await code { _ = try await store.events(matching: .all, after: nil, limit: 9) } == expected)
            } else {
                #expect(await code { try await store.append(events(6...9)) } == expected)
                #expect(await code { _ = try await store.deleteEvents(forClient: "client") } == expected)
            }
            faults.set(nil)
            try await store.append(events(1...9))
            try await store.append(events(1...5, client: "other"))
            _ = try await store.save([record], policy: .insert)
            #expect(try await store.fetchAllEvents() == events(1...9) + events(1...5, client: "other"))
            #expect(try await store.countEvents() == 14)
        }
    }

    @Test("After random failures, a repeated append stores each event once and affects no other")
    func everywhere() async throws {
        try await withTemporaryDirectory { directory in
            let random = Mutex(SeededGenerator(seed: randomSeed))
            let faults = Faults()
            let configuration = FileTelemetryTransport.Configuration(segmentBytes: 2_000, journalBytes: 1_500)
            var store = try FileTelemetryTransport(directory: directory, configuration: configuration, system: faults.system)
            let rule: @Sendable (FileOperation, String) -> Int32? = { _, _ in
                random.withLock { $0.next() % 12 } == 0 ? [ENOSPC, EIO, EMFILE][Int(random.withLock { $0.next() % 3 })] : nil
            }
            var expected: [TelemetryEvent] = []
            var failures = 0
            for round in 0..<300 as Range<UInt64> {
                let batch = events(round * 4 + 1...round * 4 + 4, client: "c\(round % 2)", property1: "text")
                faults.set(rule)
                while true {
                    do {
                        try await store.append(batch)
                        break
                    } catch is TelemetryTransportError {
                        failures += 1
                        // In a quarter of the cases another process retries.
                        if random.withLock({ $0.next() % 4 }) == 0 {
                            faults.set(nil)
                            store = try FileTelemetryTransport(
                                directory: directory, configuration: configuration, system: faults.system)
                            faults.set(rule)
                        }
                    }
                }
                faults.set(nil)
                expected += batch
                if round.isMultiple(of: 40) {
                    let name = "c\(round % 2)"
                    let (since, until) = (event(round * 2).timestamp, event(round * 3).timestamp)
                    let filter = TelemetryEventFilter(clientId: name, since: since, until: until)
                    #expect(try await store.deleteEvents(matching: filter) == expected.count(where: filter.matches))
                    expected.removeAll(where: filter.matches)
                }
            }
            #expect(failures > 100)
            #expect(try await store.fetchAllEvents() == expected, "seed \(randomSeed)")
            #expect(try await store.countEvents() == expected.count, "seed \(randomSeed)")
            #expect(try await store.countEvents(matching: .init(levels: [.info])) == expected.count)
        }
    }

    @Test("A line that was only partly written is removed")
    func shortWrites() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            try await store.append(events(1...3))
            // As a killed process leaves it: half a line at the journal's end, half an event at the segment's end.
            for (path, data) in try files(below: directory) where path.hasSuffix(".log") || path.hasSuffix(".jsonl") {
                try (data + Data("\nB client 1-x 12 3".utf8)).write(to: directory.appending(path: path))
            }
            let told = Told()
            let other = try FileTelemetryTransport(
                directory: directory, configuration: .init(diagnostics: { told.append($0) }))
            try await other.append(events(1...5))
            try await store.append(events(1...7))
            #expect(try await other.fetchAllEvents() == events(1...7))
            #expect(told.all.contains { $0.kind == .tornTail })
        }
    }
}
