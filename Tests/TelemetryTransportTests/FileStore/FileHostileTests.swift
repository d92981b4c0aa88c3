import Foundation
import Synchronization
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryTransport

/// Foreign or forged content in a store's files.
struct FileHostileTests {
    @Test("An index that one process set aside is no longer used by any other, and no event is stored twice")
    func setAsideIndex() async throws {
        try await withTemporaryDirectory { directory in
            let first = try FileTelemetryTransport(directory: directory)
            let second = try FileTelemetryTransport(directory: directory)
            try await first.append(events(1...3))
            try await second.append(events(4...6))
            let identity = try FileHandle(forWritingTo: directory.appending(path: "events/client/identity"))
            try identity.write(contentsOf: Data(count: 192))
            try identity.close()
            try await first.append([event(7)])
            try await second.append([event(8)])
            try await first.append([event(9)])
            try await second.append([event(9)])
            #expect(try await first.fetchAllEvents() == events(1...9))
            #expect(try await second.countEvents() == 9)
        }
    }

    @Test("A foreign file among the clients' directories has no effect")
    func foreignFile() async throws {
        try await withTemporaryDirectory { directory in
            let told = Told()
            let configuration = FileTelemetryTransport.Configuration(
                retention: .init(maximumTotalBytes: 2_000), segmentBytes: 500, diagnostics: { told.append($0) })
            let store = try FileTelemetryTransport(directory: directory, configuration: configuration)
            try await store.append(events(1...3))
            try Data("x".utf8).write(to: directory.appending(path: "events/.DS_Store"))
            #expect(try await store.countEvents() == 3)
            for number in 4...60 as ClosedRange<UInt64> { try await store.append([event(number)]) }
            #expect(told.all.isEmpty)
            #expect(try await store.countEvents() < 40)
            try FileManager.default.removeItem(at: directory.appending(path: "journal"))
            try await store.append([event(61)])
            #expect(try await store.deleteEvents(matching: .all) > 0)
            #expect(try await store.countEvents() == 0)
        }
    }

    @Test(
        "System files and another process's temporary file do not make a directory count as foreign",
        arguments: [
            ".DS_Store", ".directory", "Thumbs.db", "desktop.ini", "lost+found", "System Volume Information", "@eaDir",
            "-0123456789abcdef",
        ])
    func systemNames(name: String) async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: directory.appending(path: name))
            try await FileTelemetryTransport(directory: directory).append(events(1...3))
            #expect(try Data(contentsOf: directory.appending(path: name)) == Data("x".utf8))
        }
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: directory.appending(path: "x\(name)"))
            #expect(throws: TelemetryTransportError.self) { try FileTelemetryTransport(directory: directory) }
        }
    }

    @Test("A cursor with a number beyond every store's still continues reading")
    func largestCursor() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            try await store.append(events(1...3))
            let cursor = try await store.events(matching: .all, after: nil, limit: 9).cursor
            try await store.append(events(4...6))
            var parts = cursor.rawValue.split(separator: ".").map(String.init)
            parts[4] = "\(UInt64.max)"
            let page = try await store.events(
                matching: .all, after: .init(rawValue: parts.joined(separator: ".")), limit: 9)
            #expect(page.events == events(4...6))
        }
    }

    @Test("A journal line with impossible numbers is skipped, and the lines around it are read")
    func largestNumbers() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            try await store.append(events(1...3))
            let name = try #require(
                FileManager.default.contentsOfDirectory(atPath: directory.appending(path: "events/client").path)
                    .first { $0.hasSuffix(".jsonl") })
            let journal = try FileHandle(forWritingTo: directory.appending(path: "journal/1.log"))
            try journal.seekToEnd()
            let most = UInt64.max
            for numbers in ["0 0 0 0 \(most) \(most) \(most)", "0 0 5 \(most) 9 9 9", "0 0 \(most) 9 9 \(most) 1"] {
                let line = "B client \(name.dropLast(6)) \(numbers) -"
                let hash = line.utf8.reduce(0x811c_9dc5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
                try journal.write(
                    contentsOf: Data("\n\(line) \(String(0x1_0000_0000 | UInt64(hash), radix: 16).dropFirst())\n".utf8))
            }
            try journal.close()
            try await store.append(events(4...6))
            let found = try await store.events(matching: .all, after: nil, limit: 99).events
            #expect(Set(found) == Set(events(1...6)))
            #expect(try await store.deleteEvents(matching: .init(clientId: "client", sessionId: "none")) == 0)
            try FileManager.default.removeItem(at: directory.appending(path: "events/client/identity"))
            try await FileTelemetryTransport(directory: directory).append([event(7)])
        }
    }

    @Test("The largest numbers in the names and lists of segments and journal files have no effect")
    func largestNames() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = FileTelemetryTransport.Configuration(
                retention: .init(bytesPerClient: 1_000), segmentBytes: 300)
            let store = try FileTelemetryTransport(directory: directory, configuration: configuration)
            try await store.append(events(1...3))
            let client = directory.appending(path: "events/client")
            try Data(SegmentForm.asWritten.firstLine).write(to: client.appending(path: "\(UInt64.max)-x.jsonl"))
            try Data("9-\(UInt64.max)\n".utf8).write(to: client.appending(path: "retired"))
            try Data().write(to: directory.appending(path: "journal/\(UInt64.max).log"))
            try FileManager.default.removeItem(at: client.appending(path: "identity"))
            for number in 4...40 as ClosedRange<UInt64> { try await store.append([event(number)]) }
            let found = try await FileTelemetryTransport(directory: directory).fetchAllEvents()
            #expect(found.last == event(40))
        }
    }

    /// A handler that calls the transport that reports to it.
    private final class Asking: Sendable {
        private let transport = Mutex<FileTelemetryTransport?>(nil)
        private let asked = Atomic(0)
        var count: Int { asked.load(ordering: .relaxed) }

        func ask(_ transport: FileTelemetryTransport?) { self.transport.withLock { $0 = transport } }

        func hear() {
            guard let transport = transport.withLock({ $0 }) else { return }
            asked.add(1, ordering: .relaxed)
            _ = transport.eventArrivals()
        }
    }

    @Test("A diagnostics handler may call the transport that reports to it")
    func handlerThatListens() async throws {
        try await withTemporaryDirectory { directory in
            let asking = Asking()
            let store = try FileTelemetryTransport(
                directory: directory, configuration: .init(diagnostics: { _ in asking.hear() }))
            asking.ask(store)
            try Data("no subscription".utf8).write(to: directory.appending(path: "subscriptions/x.json"))
            var arrivals = store.eventArrivals().makeAsyncIterator()
            #expect(asking.count == 1)
            try await store.append([event(1)])
            #expect(await arrivals.next() != nil)
            asking.ask(nil)
        }
    }

    @Test(
        "A record that is saved while its corrupt file is set aside is kept",
        arguments: [FileOperation.makeDirectory, .rename])
    func savedWhileSetAside(moment: FileOperation) async throws {
        try await withTemporaryDirectory { directory in
            let faults = Faults()
            let store = try FileTelemetryTransport(directory: directory, configuration: .default, system: faults.system)
            let record = TelemetryRecord(recordType: "t", recordID: "r")
            let saved = try await store.save([record], policy: .insert)
            let file = directory.appending(path: "records/t/r.json")
            let good = try Data(contentsOf: file)
            try Data("{".utf8).write(to: file)
            let isDone = Flag()
            faults.set { operation, path in
                if operation == moment, path.contains("set-aside"), isDone.set() { try? good.write(to: file, options: .atomic) }
                return nil
            }
            _ = try await store.record(withID: "r")
            faults.set(nil)
            #expect(try await store.record(withID: "r") == saved.first)
        }
    }

    private final class Flag: Sendable {
        private let isSet = Atomic(false)

        /// Sets the flag. Returns whether it was not set before.
        func set() -> Bool { !isSet.exchange(true, ordering: .relaxed) }
    }

    @Test("Failed appends leave no empty segment behind")
    func emptySegments() async throws {
        try await withTemporaryDirectory { directory in
            let faults = Faults()
            let store = try FileTelemetryTransport(
                directory: directory, configuration: .init(maximumEventBytes: 2_000), system: faults.system)
            let client = directory.appending(path: "events/client")
            for _ in 0..<3 {
                #expect(
                    await code { try await store.append([event(1, property1: String(repeating: "x", count: 3_000))]) }
                        == .invalidArgument)
            }
            faults.set { operation, path in operation == .write && path.hasSuffix(".jsonl") ? ENOSPC : nil }
            for _ in 0..<3 { #expect(await code { try await store.append([event(1)]) } == .quotaExceeded) }
            faults.set(nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: client.path).allSatisfy { !$0.hasSuffix(".jsonl") })
            try await store.append([event(1)])
            #expect(try await store.fetchAllEvents() == [event(1)])
        }
    }

    @Test("A named pipe among the records does not block a read", .timeLimit(.minutes(10)))
    func pipe() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            _ = try await store.save([TelemetryRecord(recordType: "t", recordID: "r")], policy: .insert)
            #expect(mkfifo(directory.appending(path: "records/t/x.json").path, 0o600) == 0)
            #expect(try await store.record(withID: "x") == nil)
            #expect(try await store.record(withID: "r") != nil)
        }
    }

    @Test("An unreadable segment is kept while none of its events is deleted, and removed with its client")
    func unreadableSegment() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            try await store.append(events(1...3))
            let client = directory.appending(path: "events/client")
            let names = try FileManager.default.contentsOfDirectory(atPath: client.path)
            let segment = client.appending(path: try #require(names.first { $0.hasSuffix(".jsonl") }))
            let text = try String(contentsOf: segment, encoding: .utf8).replacing("{\"header\":", with: "?\"header\":")
            try Data(text.utf8).write(to: segment)
            #expect(try await store.deleteEvents(matching: .init(clientId: "client", sessionId: "another")) == 0)
            #expect(try String(contentsOf: segment, encoding: .utf8) == text)
            #expect(try await store.deleteEvents(forClient: "client") == 0)
            #expect(!FileManager.default.fileExists(atPath: segment.path))
        }
    }

    @Test("A journal that temporarily cannot be opened is not read from its start: earlier changes are not notified again")
    func journalOutOfReach() async throws {
        try await withTemporaryDirectory { directory in
            let faults = Faults()
            let viewer = try FileTelemetryTransport(directory: directory, configuration: .default, system: faults.system)
            let writer = try FileTelemetryTransport(directory: directory)
            func save(_ name: String) async throws {
                _ = try await writer.save(
                    [TelemetryRecord(recordType: "TelemetryScenario", recordID: .init(recordName: name))], policy: .insert)
            }
            try await viewer.createScenarioSubscription()
            try await save("before")
            let isDone = Flag()
            faults.set { operation, path in
                operation == .open && path.hasSuffix("journal/1.log") && isDone.set() ? EMFILE : nil
            }
            var notifications = viewer.notifications().makeAsyncIterator()
            faults.set(nil)
            try await save("after")
            #expect(await notifications.next()?.recordID == "after")
        }
    }
}
