import Foundation
import Synchronization
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct SubscriptionOrderTests {
    /// Whether the lock is held.
    private static func isLocked(_ path: String) -> Bool {
        let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }

    @Test("No other process can change a subscription between its change and the journal entry")
    func exclusion() async throws {
        try await withTemporaryDirectory { directory in
            let faults = Faults()
            let store = try FileTelemetryTransport(directory: directory, configuration: .default, system: faults.system)
            let lock = directory.appending(path: "records/-lock").path
            let steps = Mutex<[Bool]>([])
            faults.set { operation, path in
                let isEffect = path.contains("/subscriptions/") && (operation == .rename || operation == .remove)
                let isEntry = operation == .write && path.hasSuffix(".log")
                if isEffect && path.hasSuffix(".json") || isEntry { steps.withLock { $0.append(Self.isLocked(lock)) } }
                return nil
            }
            let id = try await store.save(TelemetrySubscription(id: "a", recordType: "t"))
            try await store.deleteSubscription(withID: id)
            #expect(steps.withLock { $0 } == [true, true, true, true])
        }
    }

    @Test("Saving a subscription fails while another process holds the lock, and succeeds afterwards")
    func waiting() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory, configuration: .init(lockTimeout: .zero))
            let descriptor = open(directory.appending(path: "records/-lock").path, O_RDWR | O_CREAT, 0o600)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            let subscription = TelemetrySubscription(id: "a", recordType: "t")
            #expect(await code { _ = try await store.save(subscription) } == .unavailable)
            #expect(try await store.subscription(withID: "a") == nil)
            flock(descriptor, LOCK_UN)
            _ = try await store.save(subscription)
            #expect(try await store.subscription(withID: "a") == subscription)
        }
    }
}
