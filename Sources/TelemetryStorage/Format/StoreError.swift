/// An error of the file store's engine, with a code that a caller can act on.
package struct StoreError: Error, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: Sendable {
        /// The argument cannot be stored, or the directory is not a store.
        case invalidArgument
        /// The system, or the store's owner, forbids it.
        case unauthorized
        /// The stored data cannot be read.
        case corrupted
        /// There is no space left.
        case quotaExceeded
        /// The operation may succeed later.
        case unavailable
    }

    package let code: Code
    /// A human-readable description.
    package let message: String
    /// The underlying error.
    package let cause: (any Error)?

    package init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package static func invalidArgument(_ message: String) -> Self { Self(code: .invalidArgument, message: message) }

    package var description: String { message }
}
