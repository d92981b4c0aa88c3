#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A system call that failed.
package struct FileError: Error, CustomStringConvertible {
    package let operation: FileOperation
    package let path: String
    /// The system's number for what went wrong.
    package let errno: Int32

    package init(_ operation: FileOperation, _ path: String, errno: Int32) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    package var description: String { "\(operation.rawValue) \(path): \(String(cString: strerror(errno)))" }

    var isNotFound: Bool { errno == ENOENT || errno == ENOTDIR }

    var isForbidden: Bool { errno == EACCES || errno == EPERM || errno == EROFS }

    var isExisting: Bool { errno == EEXIST }

    /// What has the path is a symbolic link or a socket, and cannot be opened as a file.
    var isOtherThanFile: Bool { errno == ELOOP || errno == ENXIO || errno == EOPNOTSUPP }

    /// The process or the system has no descriptor left.
    var isOutOfDescriptors: Bool { errno == EMFILE || errno == ENFILE }

    /// The same as a value that a caller of the transport can act on.
    var transportError: TelemetryTransportError {
        let code: TelemetryTransportError.Code =
            switch errno {
            case ENOSPC, EDQUOT, EFBIG: .quotaExceeded
            case EACCES, EPERM: .unauthorized
            case ENAMETOOLONG: .invalidArgument
            default: .unavailable
            }
        return TelemetryTransportError(code: code, message: "The store could not \(description).", cause: self)
    }
}

/// What is asked of the system, named so that a test can let one kind fail.
package enum FileOperation: String, Sendable, CaseIterable {
    case open, read, write, synchronize, rename, remove, makeDirectory, list, lock, status, truncate, watch
}
