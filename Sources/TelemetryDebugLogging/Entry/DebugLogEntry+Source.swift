#if DEBUG
extension DebugLogEntry {
    /// The part of a system that an entry comes from.
    public enum Source: String, Sendable, CaseIterable, Codable {
        case ios, backend, web, macos, linux, cli

        /// The system that this program runs on; a command-line tool or a back end says so itself.
        public static var current: Source {
            #if os(macOS)
            .macos
            #elseif canImport(Darwin)
            .ios
            #else
            .linux
            #endif
        }
    }
}
#endif
