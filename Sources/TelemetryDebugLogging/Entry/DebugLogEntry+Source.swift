#if DEBUG
extension DebugLogEntry {
    /// The part of a system that an entry comes from.
    public enum Source: String, Sendable, CaseIterable, Codable {
        /// An app on iOS, iPadOS, tvOS, watchOS or visionOS.
        case ios
        /// A server.
        case backend
        /// A page in a browser.
        case web
        /// An app on macOS.
        case macos
        /// A program on Linux.
        case linux
        /// A command-line tool.
        case cli

        /// The system that this program runs on. A command-line tool or a server sets its source itself.
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
