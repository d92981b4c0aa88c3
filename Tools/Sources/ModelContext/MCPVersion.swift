/// The protocol's revisions, which are dates.
enum MCPVersion {
    /// The revision in which each request names its revision.
    static let current = "2026-07-28"
    /// Those in which `initialize` begins a session, the newest first.
    static let withHandshake = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    static let all = [current] + withHandshake

    /// The revision of a session whose client asks for one.
    static func negotiated(_ requested: String?) -> String {
        withHandshake.first { $0 == requested } ?? withHandshake[0]
    }
}
