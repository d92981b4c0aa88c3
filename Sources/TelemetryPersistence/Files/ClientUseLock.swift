import Foundation
import TelemetryStorage

/// Shows that a process uses a client: a file that is locked, together with others, as long as the process lives.
final class ClientUseLock: Sendable {
    /// A lock that somebody looks at is held for microseconds.
    private static let attempts = 100
    private static let pause = Duration.milliseconds(1)

    private let file: OpenFile
    private let system: FileSystem

    private init(file: OpenFile, system: FileSystem) {
        self.file = file
        self.system = system
    }

    /// The client's file: identifiers come from outside and name no file themselves. Two that share one are in use together.
    static func path(of clientId: String, in directory: URL) -> String {
        let hash = clientId.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return directory.appending(path: "settings.\(String(hash, radix: 16)).in-use").path(percentEncoded: false)
    }

    /// Begins to use; nil where the file cannot be made or locked.
    static func begin(_ path: String, _ system: FileSystem = FileSystem()) async -> ClientUseLock? {
        for _ in 0..<attempts {
            guard let file = try? system.open(path, for: .update) else { return nil }
            let lock = ClientUseLock(file: file, system: system)
            guard await lock.share() else { return nil }
            if lock.hasName { return lock }
        }
        return nil
    }

    /// Ends the use; the last one removes the file.
    func end() {
        if isAlone(), hasName { try? system.remove(file.path) }
        file.unlock()
    }

    /// Whether somebody else uses the same file.
    func isShared() async -> Bool {
        let isAlone = isAlone()
        // Where it cannot be had alone, what there was may be lost as well.
        _ = await share()
        return !isAlone
    }

    /// Whether anybody uses the file; one that nobody uses any more is removed.
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
            // A task that is cancelled says no less that it uses the client.
            do { try await system.clock.sleep(for: Self.pause) } catch { await Task.yield() }
        }
        return false
    }

    /// Whether the file was not removed since it was opened.
    private var hasName: Bool { (try? file.status().isLinked) == true }
}
