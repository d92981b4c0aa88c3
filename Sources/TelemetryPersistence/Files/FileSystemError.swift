import Foundation

/// A system call that failed, and on what.
struct FileSystemError: Error, LocalizedError, CustomStringConvertible {
    let operation: String
    let path: String
    let code: Int32

    /// The call that just failed on this thread.
    static func last(_ operation: String, _ path: String) -> Self {
        Self(operation: operation, path: path, code: errno)
    }

    var description: String { "\(operation) failed on \(path): \(String(cString: strerror(code)))" }
    var errorDescription: String? { description }
}
