import Foundation

/// Shows that a process uses a client: a file that is locked, together with others, as long as the process lives.
final class ClientUseLock: Sendable {
    /// A lock that somebody looks at is held for microseconds.
    private static let attempts = 100
    private static let pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)

    private let path: String
    private let descriptor: Int32

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The client's file: identifiers come from outside and name no file themselves. Two that share one are in use together.
    static func path(of clientId: String, in directory: URL) -> String {
        let hash = clientId.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return directory.appending(path: "settings.\(String(hash, radix: 16)).in-use").path(percentEncoded: false)
    }

    /// Begins to use; nil where the file cannot be made or locked.
    static func begin(_ path: String) -> ClientUseLock? {
        for _ in 0..<attempts {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { return nil }
            let lock = ClientUseLock(path: path, descriptor: descriptor)
            guard lock.share() else { return nil }
            if lock.hasName { return lock }
        }
        return nil
    }

    /// Ends the use; the last one removes the file.
    func end() {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0, hasName { unlink(path) }
        _ = flock(descriptor, LOCK_UN)
    }

    /// Whether somebody else uses the same file.
    var isShared: Bool {
        let isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        // Where it cannot be had alone, what there was may be lost as well.
        _ = share()
        return !isAlone
    }

    /// Whether anybody uses the file; one that nobody uses any more is removed.
    static func isUsed(_ path: String) -> Bool {
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        let lock = ClientUseLock(path: path, descriptor: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return errno == EWOULDBLOCK }
        lock.end()
        return false
    }

    private func share() -> Bool {
        for _ in 0..<Self.attempts {
            if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { return false }
            var pause = Self.pause
            nanosleep(&pause, nil)
        }
        return false
    }

    /// Whether the file was not removed since it was opened.
    private var hasName: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink > 0
    }
}
