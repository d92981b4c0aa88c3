extension TelemetryTransportError {
    /// What kind of failure it is. A struct, so that later versions can add codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// What was to be changed is not there.
        public static let notFound = Self("notFound")
        /// Another version is stored than the one expected.
        public static let conflict = Self("conflict")
        /// The call can never succeed as it is.
        public static let invalidArgument = Self("invalidArgument")
        /// The caller may not do this.
        public static let unauthorized = Self("unauthorized")
        /// Too many calls; a later one may succeed.
        public static let rateLimited = Self("rateLimited")
        /// The store cannot be reached or used now; a later call may succeed.
        public static let unavailable = Self("unavailable")
        /// The store is full, or the call too large for it.
        public static let quotaExceeded = Self("quotaExceeded")
        /// What is stored cannot be read.
        public static let corrupted = Self("corrupted")
        /// The transport was closed.
        public static let closed = Self("closed")
        /// Some of several failed; see the error's `failures`.
        public static let partialFailure = Self("partialFailure")

        public var description: String { name }
    }
}
