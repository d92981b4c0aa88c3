/// Texts that Swift compares and hashes in linear time.
///
/// Equality of strings is canonical equivalence, for which consecutive combining characters are sorted. That takes quadratic time:
/// seconds for 80 KB of them, and much longer than a request may take for a body. Texts of the Stream-Safe Text Format have at most 30
/// in a row (UAX #15, 13).
enum StreamSafeText {
    private static let maximumRun = 30

    static func isSafe(_ text: some StringProtocol) -> Bool {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return true }
        var run = 0
        for scalar in text.unicodeScalars {
            run = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
            if run > maximumRun { return false }
        }
        return true
    }
}
