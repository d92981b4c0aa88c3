#if DEBUG
/// The entries that were refused during one flush, for a single report of bounded length.
struct DebugLogRefusals {
    private static let reasonLimit = 3
    private static let lengthLimit = 300

    private var total = 0
    private var reasons: [String] = []

    mutating func count(_ entries: Int, _ reason: String) {
        total += entries
        // The server controls these strings and their length.
        let reason = String(String.UnicodeScalarView(reason.unicodeScalars.prefix(Self.lengthLimit)))
        guard reasons.count < Self.reasonLimit, !reasons.contains(reason) else { return }
        reasons.append(reason)
    }

    /// Nil if nothing was refused.
    var summary: String? {
        total == 0 ? nil : "\(total) debug entries were refused: \(reasons.joined(separator: "; "))"
    }
}
#endif
