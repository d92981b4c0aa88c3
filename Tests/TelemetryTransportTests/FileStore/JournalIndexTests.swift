import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct JournalIndexTests {
    @Test("Reading with indexes gives the same events and counts as reading everything")
    func answers() async throws {
        try await withTemporaryDirectory { directory in
            var store = try IndexedStore(directory)
            try await store.fill(batches: 80, seed: randomSeed)
            #expect(try store.indexes.count > 3)
            try await store.check("seed \(randomSeed)")
            try await store.fill(batches: 20, seed: randomSeed + 1)
            try await store.check("seed \(randomSeed), after more events")
        }
    }

    @Test("Deleted events are neither read nor counted")
    func deletion() async throws {
        try await withTemporaryDirectory { directory in
            var store = try IndexedStore(directory)
            try await store.fill(batches: 60, seed: 4)
            try await store.delete(.init(names: ["n1"]))
            try await store.check("some of each segment")
            try await store.delete(.init(clientId: "c1"))
            try await store.check("a whole client")
            try await store.fill(batches: 20, seed: 5)
            try await store.check("then more events")
        }
    }

    @Test("A deleted, truncated, altered or exchanged index changes no answer, and is replaced")
    func vandalism() async throws {
        try await withTemporaryDirectory { directory in
            var store = try IndexedStore(directory)
            try await store.fill(batches: 50, seed: 6)
            let indexes = try store.indexes
            let complete = try indexes.map { try Data(contentsOf: $0) }
            for damage in 0..<12 {
                for (place, index) in indexes.enumerated() {
                    var bytes = complete[place]
                    switch damage {
                    case 0: bytes = Data()
                    case 1: bytes = bytes.prefix(100)
                    case 2: bytes = bytes.dropLast(1)
                    case 3: bytes += Data("more".utf8)
                    case 4: bytes = complete[(place + 1) % complete.count]
                    case 5: bytes = Data(count: bytes.count)
                    case 6: bytes = Data(complete[(place + 1) % complete.count].prefix(192)) + bytes.dropFirst(192)
                    default: bytes[(bytes.count - 1) * (damage - 7) / 4] ^= 0x10
                    }
                    try FileManager.default.removeItem(at: index)
                    try bytes.write(to: index)
                }
                try await store.check("damage \(damage)", IndexedStore.fewFilters)
                for (place, index) in indexes.enumerated() {
                    #expect(try Data(contentsOf: index) == complete[place], "damage \(damage)")
                }
            }
            for index in indexes { try FileManager.default.removeItem(at: index) }
            try await store.check("deleted", IndexedStore.fewFilters)
            #expect(try store.indexes == indexes)
        }
    }

    @Test("An index is not used after its journal file changed")
    func changedJournal() async throws {
        try await withTemporaryDirectory { directory in
            var store = try IndexedStore(directory)
            try await store.fill(batches: 60, seed: 7)
            let file = store.journal.appending(path: "1.log")
            var lines = try String(contentsOf: file, encoding: .utf8)
            // The second entry with a batch becomes invalid.
            let entry = try #require(lines.components(separatedBy: "\n").filter { $0.hasPrefix("B ") }.dropFirst().first)
            lines = lines.replacing(entry, with: "X" + entry.dropFirst())
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            try Data(lines.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: file.path)
            try await store.checkLoss()
        }
    }

    @Test("An entry that became invalid after its file was indexed hides its own events only, and no others come twice")
    func invalidEntry() async throws {
        try await withTemporaryDirectory { directory in
            var store = try IndexedStore(directory)
            try await store.fill(batches: 60, seed: 9)
            try await store.check()
            let file = store.journal.appending(path: "1.log")
            let before = try FileDates(file)
            var bytes = try Data(contentsOf: file)
            let entry = try #require(bytes.range(of: Data("\nB ".utf8), in: 400..<bytes.count))
            bytes[entry.lowerBound + 1] = UInt8(ascii: "X")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let handle = try FileHandle(forWritingTo: file)
            try handle.write(contentsOf: bytes)
            try handle.close()
            try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: file.path)
            try before.apply(to: file)
            try await store.checkLoss()
        }
    }

    @Test("Long names of sessions and scenarios are not repeated in each entry")
    func longNames() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory, configuration: IndexedStore.configuration)
            let long = String(repeating: "x", count: 20_000)
            var all: [TelemetryEvent] = []
            for number in 0..<20 {
                let isSession = number.isMultiple(of: 2)
                let event = TelemetryEvent(
                    clientId: "c", sessionId: isSession ? long : "s", sequence: UInt64(number), name: "n",
                    timestamp: IndexedStore.start + Double(number), scenario: isSession ? "Net" : long)
                try await store.append([event])
                all.append(event)
            }
            let journal = directory.appending(path: "journal")
            let sizes = try FileManager.default.contentsOfDirectory(at: journal, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "log" }.map { try Data(contentsOf: $0).count }
            #expect(sizes.reduce(0, +) < 20 * 200)
            let reader = try FileTelemetryTransport(directory: directory, configuration: IndexedStore.configuration)
            for filter in [TelemetryEventFilter(sessionId: long), .init(scenarios: [long]), .init(scenarios: ["Net"])] {
                let expected = all.filter(filter.matches).map(\.eventId)
                #expect(try await reader.backwards(filter, 3).map(\.eventId) == expected)
                #expect(try await reader.forwards(filter, 3).map(\.eventId) == expected)
            }
        }
    }

    @Test("Where no file can be created, indexes are computed and the answers are the same")
    func readOnly() async throws {
        try await withTemporaryDirectory { directory in
            var store = try IndexedStore(directory)
            try await store.fill(batches: 60, seed: 8)
            for index in try store.indexes {
                try FileManager.default.removeItem(at: index)
                // A directory in the place of the file cannot be replaced.
                try FileManager.default.createDirectory(at: index, withIntermediateDirectories: false)
                try Data().write(to: index.appending(path: "file"))
            }
            try await store.check()
        }
    }
}
