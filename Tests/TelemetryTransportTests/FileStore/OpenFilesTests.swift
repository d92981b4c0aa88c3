import Foundation
import Synchronization
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
@_spi(Tooling) import TelemetryTransport
import Testing

struct OpenFilesTests {
    private final class OpenedLocks: Sendable {
        private let clients = Mutex<Set<String>>([])

        /// The clients whose lock was opened since the last call.
        func take() -> Set<String> {
            clients.withLock { clients in
                defer { clients = [] }
                return clients
            }
        }

        func note(_ path: String) {
            guard path.hasSuffix("/lock") else { return }
            let client = String(path.split(separator: "/").dropLast().last ?? "")
            clients.withLock { _ = $0.insert(client) }
        }
    }

    private func append(_ clients: some Sequence<Int>, _ sequence: UInt64, to store: FileTelemetryTransport) async throws {
        for client in clients { try await store.append([event(sequence, client: "c\(client)", session: "s\(client)")]) }
    }

    private func names(_ clients: some Sequence<Int>) -> Set<String> { Set(clients.map { "c\($0)" }) }

    @Test("Of too many clients, the files of those that were used least recently are closed")
    func eviction() async throws {
        try await withTemporaryDirectory { directory in
            let (faults, locks) = (Faults(), OpenedLocks())
            let store = try FileTelemetryTransport(directory: directory, configuration: .default, system: faults.system)
            faults.set { operation, path in
                if operation == .open { locks.note(path) }
                return nil
            }
            try await append(0..<32, 1, to: store)
            #expect(locks.take() == names(0..<32))
            try await append(0..<1, 2, to: store)
            #expect(locks.take() == [])
            // Closes the files of four: 1 to 4.
            try await append(32..<33, 1, to: store)
            #expect(locks.take() == names(32..<33))
            try await append([0] + Array(5..<33), 3, to: store)
            #expect(locks.take() == [])
            try await append(1..<4, 3, to: store)
            #expect(locks.take() == names(1..<4))
            #expect(try await store.countEvents() == 32 + 1 + 1 + 29 + 3)
        }
    }

    @Test("The files of more clients are kept open on request, and opened again after descriptors ran out")
    func manyClients() async throws {
        try await withTemporaryDirectory { directory in
            let (faults, locks) = (Faults(), OpenedLocks())
            let store = try FileTelemetryTransport(directory: directory, configuration: .default, system: faults.system)
            await store.keepFilesOpen(ofClients: 100)
            await store.keepFilesOpen(ofClients: 0)
            try await append(0..<100, 1, to: store)
            faults.set { operation, path in
                if operation == .open { locks.note(path) }
                return nil
            }
            try await append(0..<100, 2, to: store)
            #expect(locks.take() == [])
            let isOut = Mutex(true)
            faults.set { operation, path in
                guard operation == .open else { return nil }
                let fails = isOut.withLock { isOut in
                    defer { isOut = false }
                    return isOut
                }
                if fails { return EMFILE }
                locks.note(path)
                return nil
            }
            try await append(200..<201, 1, to: store)
            try await append(0..<100, 3, to: store)
            #expect(locks.take() == names(0..<100).union(["c200"]))
            #expect(try await store.countEvents() == 301)
            #expect(try await FileTelemetryTransport(directory: directory).fetchAllEvents().count == 301)
        }
    }
}
