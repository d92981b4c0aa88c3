import Foundation

/// Keeps processes, and stores within one, from changing the same thing at once.
///
/// The lock belongs to an open file and ends with it, also where the process is killed; the file itself stays.
enum FileLock {
    /// How often, and in all how long, a lock that somebody else holds is tried: a holder needs about a millisecond.
    private static let attempts = 2_000
    private static let pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)

    /// Runs the body while nobody else runs one under the same path.
    /// - Throws: ``FileSystemError`` where the lock cannot be had within about two seconds; what the body throws.
    static func holding<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileSystemError.last("open", path) }
        defer { close(descriptor) }
        try requireOwnership(of: descriptor, path)
        try acquire(descriptor, path)
        // Closing is not enough: a child process that is just being started holds a copy of the descriptor, and with it the lock.
        defer { _ = flock(descriptor, LOCK_UN) }
        return try body()
    }

    private static func acquire(_ descriptor: Int32, _ path: String) throws {
        for _ in 0..<attempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw FileSystemError.last("flock", path) }
            var pause = pause
            nanosleep(&pause, nil)
        }
        throw FileSystemError(operation: "flock", path: path, code: EWOULDBLOCK)
    }

    /// In a directory that users share, somebody else's file under our name could keep us waiting for ever.
    private static func requireOwnership(of descriptor: Int32, _ path: String) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileSystemError.last("fstat", path) }
        guard status.st_uid == geteuid() else { throw FileSystemError(operation: "open", path: path, code: EPERM) }
    }
}
