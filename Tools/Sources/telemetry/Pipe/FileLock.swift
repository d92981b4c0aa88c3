#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A lock on an open file, which ends with the process, however it ends.
enum FileLock {
    /// False where another process has it.
    static func take(_ descriptor: Int32) -> Bool {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}
