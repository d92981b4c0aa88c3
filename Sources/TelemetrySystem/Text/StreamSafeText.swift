/// Strings that Swift compares and hashes in linear time.
///
/// Equality of strings is canonical equivalence, for which consecutive combining characters are sorted, in quadratic time: half a
/// second for 76 KB of them. Strings in the Stream-Safe Text Format have at most 30 in a row (UAX #15, section 13).
@_spi(Tooling)
public enum StreamSafeText {
    private static let maximumRun = 30
    /// What is wrong with a text that is not safe.
    public static let fault = "has more than \(maximumRun) combining characters in a row"

    public static func isSafe(_ text: String) -> Bool {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return true }
        var run = 0
        for scalar in text.unicodeScalars {
            run = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
            if run > maximumRun { return false }
        }
        return true
    }
}
