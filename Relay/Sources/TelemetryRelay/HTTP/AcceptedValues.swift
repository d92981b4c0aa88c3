/// Reads `Accept-Encoding` (RFC 9110, 12.5.3).
enum AcceptedEncoding {
    /// The maximum length of a header that is read, in bytes; a longer one takes milliseconds, and no browser sends it.
    private static let maximumBytes = 1 << 10

    /// Whether the sender of the header accepts gzip.
    static func includesGzip(_ header: String?) -> Bool {
        var wildcard = false
        guard let header, header.utf8.count <= maximumBytes else { return false }
        for part in header.split(separator: ",") {
            let fields = part.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            guard let name = fields.first else { continue }
            let weight = fields.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if ["gzip", "x-gzip"].contains(name) { return weight > 0 }
            if name == "*" { wildcard = weight > 0 }
        }
        return wildcard
    }
}
