#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A lock on an open file, which the system releases when the process ends.
enum DescriptorLock {
    /// Returns false if another process holds the lock.
    static func lock(_ descriptor: Int32) -> Bool {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}
