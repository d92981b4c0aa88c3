#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Glibc)
import Glibc
#endif

/// A system call that failed.
package struct FileError: Error, CustomStringConvertible {
    package let operation: FileOperation
    package let path: String
    /// The system's error number.
    package let errno: Int32

    package init(_ operation: FileOperation, _ path: String, errno: Int32) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    /// The file is another user's.
    package static func foreign(_ path: String) -> Self { Self(.open, path, errno: EPERM) }

    /// There is something other than a regular file at the path.
    package static func notAFile(_ path: String) -> Self { Self(.read, path, errno: EINVAL) }

    /// The file is too large.
    package static func tooLarge(_ path: String) -> Self { Self(.read, path, errno: EFBIG) }

    package var isTooLarge: Bool { errno == EFBIG }

    /// The file does not exist.
    package static func missing(_ path: String) -> Self { Self(.open, path, errno: ENOENT) }

    /// Another holder has the lock of a file.
    package static func locked(_ path: String) -> Self { Self(.lock, path, errno: EWOULDBLOCK) }

    package var description: String { "\(operation.rawValue) \(path): \(String(cString: strerror(errno)))" }

    package var isNotFound: Bool { errno == ENOENT || errno == ENOTDIR }

    package var isForbidden: Bool { isDenied || errno == EROFS }

    package var isExisting: Bool { errno == EEXIST }

    /// There is a symbolic link or a socket at the path, which cannot be opened as a file.
    package var isOtherThanFile: Bool { errno == ELOOP || errno == ENXIO || errno == EOPNOTSUPP }

    /// A permanent property of the file: a link, a directory, too large, or another user's.
    package var isLasting: Bool { [ELOOP, EISDIR, EFBIG, ENXIO, EPERM].contains(errno) }

    /// Another holder has the lock.
    package var isLocked: Bool { errno == EWOULDBLOCK }

    /// The process or the system has no descriptor left.
    package var isOutOfDescriptors: Bool { errno == EMFILE || errno == ENFILE }

    /// There is no space left for the file.
    package var isOutOfSpace: Bool { [ENOSPC, EDQUOT, EFBIG].contains(errno) }

    /// The system denies access to the file.
    package var isDenied: Bool { errno == EACCES || errno == EPERM }

    /// A name in the path is too long for the file system.
    package var isNameTooLong: Bool { errno == ENAMETOOLONG }
}

/// The kinds of system calls, so that a test can make one kind fail.
package enum FileOperation: String, Sendable, CaseIterable {
    case open, read, write, synchronize, rename, remove, makeDirectory, list, lock, status, truncate, watch
}
