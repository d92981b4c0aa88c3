/// Reads `Accept` and `Accept-Encoding` (RFC 9110, 12.5).
enum AcceptedValues {
    /// The maximum length of a header that is read, in bytes; a longer one takes milliseconds, and no browser sends it.
    private static let maximumBytes = 1 << 10

    /// Whether the sender of the `Accept-Encoding` header accepts gzip.
    static func includesGzip(_ header: String?) -> Bool {
        (weight(of: ["gzip", "x-gzip"], in: header) ?? weight(of: ["*"], in: header) ?? 0) > 0
    }

    /// The weight of the first of these names that the header contains, from 0 to 1; nil if it contains none.
    static func weight(of names: Set<String>, in header: String?) -> Double? {
        guard let header, header.utf8.count <= maximumBytes else { return nil }
        for part in header.split(separator: ",") {
            let fields = part.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            guard let name = fields.first, names.contains(name) else { continue }
            return fields.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
        }
        return nil
    }
}
