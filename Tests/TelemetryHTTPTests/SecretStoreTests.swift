import Foundation
import TelemetryHTTP
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct SecretStoreTests {
    private func withDirectory(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryDirectory { try await body($0.appending(path: "state/host")) }
    }

    @Test("The secret is 32 bytes, created once, in a file that only its owner may read, and no other file is left")
    func isMadeOnce() async throws {
        try await withDirectory { directory in
            let secret = try await FileTelemetrySecretStore(directory: directory).secret()
            #expect(secret.count == 32)
            #expect(Set(secret).count > 8)
            #expect(try await FileTelemetrySecretStore(directory: directory).secret() == secret)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["relay-secret"])
            for (path, mode) in [(directory.path, 0o700), (directory.appending(path: "relay-secret").path, 0o600)] {
                #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
            }
        }
    }

    @Test("Concurrent callers get the same secret")
    func isOneForAll() async throws {
        try await withDirectory { directory in
            let secrets = try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<64 { group.addTask { try await FileTelemetrySecretStore(directory: directory).secret() } }
                return try await group.reduce(into: Set<Data>()) { $0.insert($1) }
            }
            #expect(secrets.count == 1)
        }
    }

    @Test("A file that is not a secret throws .corrupted and is never replaced", arguments: [0, 31, 33])
    func keepsWhatItCannotRead(_ count: Int) async throws {
        try await withDirectory { directory in
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let file = directory.appending(path: "relay-secret")
            try Data(count: count).write(to: file)
            let error = await #expect(throws: TelemetryTransportError.self) {
                _ = try await FileTelemetrySecretStore(directory: directory).secret()
            }
            #expect(error?.code == .corrupted)
            #expect(try Data(contentsOf: file) == Data(count: count))
        }
    }

    @Test("A directory that cannot be created is a TelemetryTransportError")
    func reportsDirectory() async throws {
        let error = await #expect(throws: TelemetryTransportError.self) {
            _ = try await FileTelemetrySecretStore(directory: URL(filePath: "/dev/null/state")).secret()
        }
        #expect(error != nil)
    }

    @Test("Copies of a secret store in memory share its secret; another store has another")
    func keepsInMemory() async throws {
        let store = InMemoryTelemetrySecretStore()
        let copy = store
        #expect(try await store.secret() == copy.secret())
        #expect(try await store.secret() != InMemoryTelemetrySecretStore().secret())
        #expect(!String(reflecting: store).contains("32 bytes"))
    }
}
