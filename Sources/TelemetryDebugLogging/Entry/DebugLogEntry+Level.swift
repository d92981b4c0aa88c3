#if DEBUG
extension DebugLogEntry {
    /// An entry's severity. Levels are ordered from ``debug`` to ``error``.
    public enum Level: String, Sendable, CaseIterable, Codable, Comparable {
        /// Details for debugging.
        case debug
        /// Normal operation.
        case info
        /// Unexpected, but handled.
        case warn
        /// An operation failed.
        case error

        public static func < (lhs: Level, rhs: Level) -> Bool { lhs.weight < rhs.weight }

        private var weight: Int {
            switch self {
            case .debug: 0
            case .info: 1
            case .warn: 2
            case .error: 3
            }
        }
    }
}
#endif
