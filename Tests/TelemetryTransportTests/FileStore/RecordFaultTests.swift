import Foundation
import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetrySystem
@testable import TelemetryTransport

/// Changes of records that fail, or whose process is killed, at each of their steps.
struct RecordFaultTests {
    /// Counts system calls, and makes one of them fail or, as after a kill, that one and all later ones.
    private final class Steps: Sendable {
        private let state = Mutex<(left: Int?, isKill: Bool, hasFailed: Bool)>((nil, false, false))

        var hasFailed: Bool { state.withLock { $0.hasFailed } }

        var system: FileSystem {
            FileSystem { _, _ in
                self.state.withLock { state in
                    guard let left = state.left else { return nil }
                    state.left = max(left - 1, 0)
                    guard left == 0, state.isKill || !state.hasFailed else { return nil }
                    state.hasFailed = true
                    return state.isKill ? EIO : ENOSPC
                }
            }
        }

        func fail(after count: Int, kill: Bool = false) { state.withLock { $0 = (count, kill, false) } }

        func stop() { state.withLock { $0.left = nil } }
    }

    enum Change: CaseIterable, Sendable { case insert, update, changeType, delete }

    private static func record(_ name: String, _ value: Int64, type: String = "t") -> TelemetryRecord {
        var record = TelemetryRecord(recordType: type, recordID: .init(recordName: name))
        record["value"] = .int(value)
        return record
    }

    private static func perform(
        _ change: Change, _ name: String, over former: TelemetryRecord?, in store: FileTelemetryTransport
    ) async throws {
        switch change {
        case .insert: _ = try await store.save([record(name, 1)], policy: .insert)
        case .update:
            var changed = try #require(former)
            changed["value"] = .int(1)
            _ = try await store.save([changed], policy: .ifUnchanged)
        case .changeType: _ = try await store.save([record(name, 1, type: "u")], policy: .overwrite)
        case .delete: #expect(try await store.deleteRecords(withIDs: [.init(recordName: name)]) == 1)
        }
    }

    /// Saves a new record, and returns the names that were notified before it.
    private static func notified(
        until name: String, by store: FileTelemetryTransport,
        _ notifications: inout AsyncStream<TelemetryNotification>.Iterator
    ) async throws -> Set<String> {
        _ = try await store.save([record(name, 0)], policy: .insert)
        var names: Set<String> = []
        while let next = await notifications.next()?.recordID?.recordName, next != name { names.insert(next) }
        return names
    }

    private static let cases = Change.allCases.flatMap { change in
        [FileTelemetryTransport.Configuration.Durability.process, .system].map { (change, $0) }
    }

    @Test(
        "A change of a record that fails without room at any step is notified when it is retried, and succeeds",
        .timeLimit(.minutes(10)), arguments: cases)
    func noRoom(change: Change, durability: FileTelemetryTransport.Configuration.Durability) async throws {
        try await withTemporaryDirectory { directory in
            let viewer = try FileTelemetryTransport(directory: directory)
            for type in ["t", "u"] { _ = try await viewer.save(TelemetrySubscription(id: type, recordType: type)) }
            var notifications = viewer.notifications().makeAsyncIterator()
            let steps = Steps()
            let store = try FileTelemetryTransport(
                directory: directory, configuration: .init(durability: durability), system: steps.system)
            var step = 0
            while true {
                let name = "r\(step)"
                let former =
                    change == .insert ? nil : try await viewer.save([Self.record(name, 0)], policy: .insert).first
                _ = try await Self.notified(until: "before\(step)", by: viewer, &notifications)
                steps.fail(after: step)
                do {
                    try await Self.perform(change, name, over: former, in: store)
                } catch let error as TelemetryTransportError {
                    steps.stop()
                    #expect(error.code == .quotaExceeded, "step \(step)")
                    let left = try await viewer.record(withID: .init(recordName: name))
                    if change != .delete || left != nil {
                        #expect(left == former, "step \(step)")
                        try await Self.perform(change, name, over: former, in: store)
                    }
                }
                steps.stop()
                let stored = try await viewer.record(withID: .init(recordName: name))
                #expect(stored?["value"] == (change == .delete ? nil : .int(1)), "step \(step)")
                let found = try await Self.notified(until: "after\(step)", by: viewer, &notifications)
                #expect(found.contains(name), "step \(step)")
                if !steps.hasFailed { break }
                step += 1
            }
            #expect(step > 8)
            let left = try files(below: directory).keys.filter { $0.contains("/-") && !$0.hasSuffix("-lock") }
            // At most one file, if the failed step was its removal, the last one.
            #expect(left.count <= 1)
        }
    }

    @Test(
        "A change of a record whose process is killed at any step is notified if it was made",
        .timeLimit(.minutes(10)), arguments: cases.filter { $0.0 != .changeType })
    func kill(change: Change, durability: FileTelemetryTransport.Configuration.Durability) async throws {
        try await withTemporaryDirectory { directory in
            let viewer = try FileTelemetryTransport(directory: directory)
            _ = try await viewer.save(TelemetrySubscription(id: "t", recordType: "t"))
            var notifications = viewer.notifications().makeAsyncIterator()
            var step = 0
            while true {
                let name = "r\(step)"
                let steps = Steps()
                let store = try FileTelemetryTransport(
                    directory: directory, configuration: .init(durability: durability), system: steps.system)
                let former =
                    change == .insert ? nil : try await viewer.save([Self.record(name, 0)], policy: .insert).first
                _ = try await Self.notified(until: "before\(step)", by: viewer, &notifications)
                steps.fail(after: step, kill: true)
                try? await Self.perform(change, name, over: former, in: store)
                let wasKilled = steps.hasFailed
                steps.stop()
                let isMade = try await viewer.record(withID: .init(recordName: name)) != former
                let found = try await Self.notified(until: "after\(step)", by: viewer, &notifications)
                if isMade { #expect(found.contains(name), "step \(step)") }
                if !wasKilled { break }
                if !isMade { try await Self.perform(change, name, over: former, in: viewer) }
                step += 1
            }
            #expect(step > 8)
        }
    }

    @Test("A change is notified only once it can be read, even between the writer's steps")
    func betweenSteps() async throws {
        try await withTemporaryDirectory { directory in
            let faults = Faults()
            let store = try FileTelemetryTransport(directory: directory, configuration: .default, system: faults.system)
            _ = try await store.save(TelemetrySubscription(id: "t", recordType: "t"))
            let reader = ChangeReader(
                layout: StoreLayout(directory: directory.standardizedFileURL.path), system: FileSystem(),
                configuration: .default)
            let early = Mutex<[TelemetryNotification]>([])
            let count = Mutex(0)
            let file = directory.appending(path: "records/t/r.json").path
            faults.set { _, _ in
                count.withLock { $0 += 1 }
                if !FileManager.default.fileExists(atPath: file) {
                    early.withLock { $0 += reader.changes().notifications }
                }
                return nil
            }
            _ = try await store.save([Self.record("r", 1)], policy: .insert)
            faults.set(nil)
            #expect(count.withLock { $0 } > 5)
            #expect(early.withLock { $0 }.isEmpty)
            #expect(reader.changes().notifications.map(\.recordID) == ["r"])
            #expect(reader.changes().notifications.isEmpty)
        }
    }

    @Test("A reader that begins during a change that cannot be read yet is notified of it, and of at most one before it")
    func beginningDuringChange() async throws {
        try await withTemporaryDirectory { directory in
            let faults = Faults()
            let store = try FileTelemetryTransport(directory: directory, configuration: .default, system: faults.system)
            _ = try await store.save(TelemetrySubscription(id: "t", recordType: "t"))
            _ = try await store.save([Self.record("before", 1)], policy: .insert)
            let layout = StoreLayout(directory: directory.standardizedFileURL.path)
            let file = directory.appending(path: "records/t/r.json").path
            let readers = Mutex<[ChangeReader]>([])
            faults.set { _, _ in
                let reader = ChangeReader(layout: layout, system: FileSystem(), configuration: .default)
                if !FileManager.default.fileExists(atPath: file) { readers.withLock { $0.append(reader) } }
                return nil
            }
            _ = try await store.save([Self.record("r", 1)], policy: .insert)
            faults.set(nil)
            let found = readers.withLock { $0 }.map { $0.changes().notifications.map(\.recordID) }
            #expect(found.count > 5)
            #expect(found.allSatisfy { $0 == ["r"] || $0 == ["before", "r"] }, "\(found)")
            #expect(found.last == ["r"])
        }
    }
}
