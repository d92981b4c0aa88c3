import Foundation
import TelemetrySystem

/// Shows that a process uses a client: a shared lock on a file, held until the process ends.
final class ClientUseLock: Sendable {
    /// Checking the file holds its lock for microseconds.
    private static let attempts = 100
    private static let pause = Duration.milliseconds(1)

    private let file: OpenFile
    private let system: FileSystem

    private init(file: OpenFile, system: FileSystem) {
        self.file = file
        self.system = system
    }

    /// The client's file, named by a hash because identifiers are untrusted input. Two clients with the same file count as one.
    static func path(of clientId: String, in directory: URL) -> String {
        directory.appending(path: "settings.\(String(FNV1a.hash(clientId), radix: 16)).in-use").path(percentEncoded: false)
    }

    /// Starts using a client. Returns nil if the file cannot be created or locked.
    static func begin(_ path: String, _ system: FileSystem = FileSystem()) async -> ClientUseLock? {
        for _ in 0..<attempts {
            guard let file = try? system.open(path, for: .update) else { return nil }
            let lock = ClientUseLock(file: file, system: system)
            guard await lock.share() else { return nil }
            if lock.hasName { return lock }
        }
        return nil
    }

    /// Ends the use. The last process removes the file.
    func end() {
        if isAlone(), hasName { try? system.remove(file.path) }
        file.unlock()
    }

    /// Whether another process uses the same file.
    func isShared() async -> Bool {
        let isAlone = isAlone()
        // Trying for the exclusive lock may have lost the shared one.
        _ = await share()
        return !isAlone
    }

    /// Whether any process uses the file. An unused file is removed.
    static func isUsed(_ path: String, _ system: FileSystem = FileSystem()) -> Bool {
        guard let file = try? system.open(path, for: .write) else { return false }
        do throws(FileError) {
            guard try file.tryLock(.exclusive) else { return true }
        } catch { return false }
        ClientUseLock(file: file, system: system).end()
        return false
    }

    private func isAlone() -> Bool { (try? file.tryLock(.exclusive)) == true }

    private func share() async -> Bool {
        for _ in 0..<Self.attempts {
            guard let isLocked = try? file.tryLock(.shared) else { return false }
            if isLocked { return true }
            // A cancelled task also has to show that it uses the client.
            do { try await system.clock.sleep(for: Self.pause) } catch { await Task.yield() }
        }
        return false
    }

    /// Whether the file still has its name, so it was not removed since it was opened.
    private var hasName: Bool { (try? file.status().isLinked) == true }
}
