import Foundation
import Synchronization
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct FileLockTests {
    /// Holds a file's lock as another process would, until it is released.
    private final class Holder {
        private let handle: FileHandle

        init(_ url: URL) throws {
            handle = try FileHandle(forUpdating: url)
            #expect(flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        }

        func release() throws {
            // Not only by closing: a process that another test started meanwhile may have inherited the descriptor.
            #expect(flock(handle.fileDescriptor, LOCK_UN) == 0)
            try handle.close()
        }
    }

    @Test(
        "A lock that another process holds is waited for until the timeout",
        arguments: ["events/client/lock", "records/-lock", "journal/1.log"])
    func timeout(lock: String) async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(
                directory: directory, configuration: .init(lockTimeout: .milliseconds(30)))
            let id = TelemetryRecord.ID(recordName: "r")
            _ = try await store.save([TelemetryRecord(recordType: "t", recordID: id)], policy: .insert)
            try await store.append(events(1...3))
            let holder = try Holder(directory.appending(path: lock))
            let append = await code { try await store.append(events(1...6)) }
            let save = await code { try await store.deleteRecords(withIDs: [id]) }
            #expect(append == (lock.hasPrefix("records") ? nil : .unavailable))
            #expect(save == (lock.hasPrefix("events") ? nil : .unavailable))
            // Reads never wait, and a client's lock does not block other clients.
            #expect(try await store.events(matching: .all, after: nil, limit: 9).events.count >= 3)
            if lock.hasPrefix("events") { try await store.append([event(1, client: "other")]) }
            try holder.release()
            try await store.append(events(1...6))
            #expect(try await store.countEvents(matching: .init(clientId: "client")) == 6)
        }
    }

    @Test("On a busy machine, where waiting tasks wake late, a lock is tried as often as on any other")
    func busyMachine() async throws {
        try await withTemporaryDirectory { directory in
            let tries = Mutex(0)
            let clock = ManualClock()
            let system = FileSystem(
                fault: { operation, path in
                    guard operation == .lock, path.hasSuffix("client/lock") else { return nil }
                    return tries.withLock { tries in
                        tries += 1
                        return tries < 900 ? EWOULDBLOCK : nil
                    }
                }, clock: clock)
            let store = try FileTelemetryTransport(directory: directory, configuration: .default, system: system)
            async let append: Void = store.append(events(1...3))
            for _ in 1..<900 {
                await clock.sleepers()
                // A sleep of a few milliseconds ends a minute later.
                clock.advance(by: .seconds(60))
            }
            try await append
            #expect(try await store.countEvents() == 3)
            #expect(tries.withLock { $0 } == 900)
        }
    }

    @Test("An append that waits for a lock throws when its task is cancelled, and stores nothing")
    func cancellation() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            try await store.append(events(1...3))
            let holder = try Holder(directory.appending(path: "events/client/lock"))
            let waiting = Task { try await store.append(events(4...6)) }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            try holder.release()
            #expect(try await store.countEvents() == 3)
        }
    }
}
