/// Why the engine of a file store did not do what was asked, where a caller has to tell one reason from another.
package struct StoreError: Error, CustomStringConvertible {
    /// What a caller can do about it.
    package enum Code: Sendable {
        /// What was asked for cannot be stored or is no store.
        case invalidArgument
        /// The system, or the store's owner, forbids it.
        case unauthorized
        /// What is stored cannot be understood.
        case corrupted
        /// There is no room.
        case quotaExceeded
        /// It may be possible later.
        case unavailable
    }

    package let code: Code
    /// A sentence for people.
    package let message: String
    /// What the system or a decoder said.
    package let cause: (any Error)?

    package init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package static func invalidArgument(_ message: String) -> Self { Self(code: .invalidArgument, message: message) }

    package var description: String { message }
}
