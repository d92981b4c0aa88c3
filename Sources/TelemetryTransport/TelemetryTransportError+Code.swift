extension TelemetryTransportError {
    /// The kind of failure. A struct, so that later versions can add codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// The record to change does not exist.
        public static let notFound = Self("notFound")
        /// The stored version is not the expected one.
        public static let conflict = Self("conflict")
        /// The call can never succeed with these arguments.
        public static let invalidArgument = Self("invalidArgument")
        /// The caller is not allowed to do this.
        public static let unauthorized = Self("unauthorized")
        /// Too many calls; a later one may succeed.
        public static let rateLimited = Self("rateLimited")
        /// The store cannot be reached or used now; a later call may succeed.
        public static let unavailable = Self("unavailable")
        /// The store is full, or the call is too large for it.
        public static let quotaExceeded = Self("quotaExceeded")
        /// The stored data cannot be read.
        public static let corrupted = Self("corrupted")
        /// The transport was closed.
        public static let closed = Self("closed")
        /// Some of several records failed; see ``TelemetryTransportError/failures``.
        public static let partialFailure = Self("partialFailure")

        public var description: String { name }
    }
}
