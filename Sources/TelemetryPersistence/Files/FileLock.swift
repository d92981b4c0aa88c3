import Foundation

/// Keeps processes, and stores within one, from changing the same thing at once.
///
/// The lock belongs to an open file and ends with it, also where the process is killed; the file itself stays. Whoever waits
/// for it holds the lock of its directory meanwhile, which all must pass: somebody who has just given the lock back does not
/// have it again before those who wait, however often they look.
enum FileLock {
    /// How often, and in all how long, a lock that somebody else holds is tried: a holder needs about a millisecond, and some
    /// seconds where the disk is busy.
    private static let attempts = 10_000
    private static let pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)

    /// Runs the body while nobody else runs one under the same path.
    /// - Throws: ``FileSystemError`` where the lock cannot be had within about ten seconds; what the body throws.
    static func holding<Result>(_ path: String, attempts: Int = attempts, _ body: () throws -> Result) throws -> Result {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileSystemError.last("open", path) }
        defer { close(descriptor) }
        try requireOwnership(of: descriptor, path)
        try inTurn(path, attempts) { rest in try acquire(descriptor, path, &rest) }
        // Closing is not enough: a child process that is just being started holds a copy of the descriptor, and with it the lock.
        defer { _ = flock(descriptor, LOCK_UN) }
        return try body()
    }

    /// Lets the body wait while nobody else does. Where directories cannot be locked, as on some network file systems, or other
    /// users could, whoever looks at the right moment is first.
    private static func inTurn(_ path: String, _ attempts: Int, _ body: (inout Int) throws -> Void) throws {
        var rest = attempts
        let directory = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        let turnstile = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard turnstile >= 0 else { return try body(&rest) }
        defer {
            _ = flock(turnstile, LOCK_UN)
            close(turnstile)
        }
        if isOurs(turnstile) {
            do { try acquire(turnstile, directory, &rest) } catch let error as FileSystemError {
                guard error.code != EWOULDBLOCK else { throw error }
            }
        }
        try body(&rest)
    }

    /// Whether no other user can open the directory.
    private static func isOurs(_ directory: Int32) -> Bool {
        var status = stat()
        return fstat(directory, &status) == 0 && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
    }

    private static func acquire(_ descriptor: Int32, _ path: String, _ attempts: inout Int) throws {
        while attempts > 0 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw FileSystemError.last("flock", path) }
            attempts -= 1
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
