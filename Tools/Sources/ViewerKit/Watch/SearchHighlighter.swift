@_spi(Tooling) import TelemetryModels

/// Finds the words of a query in the strings of a screen.
struct SearchHighlighter {
    private static let maximumCount = 32

    /// Runs of lowercase ASCII letters.
    private let words: [[UInt8]]

    init(_ query: TelemetryQuery) { words = query.literals.clauses.flatMap(\.self) }

    /// The first places of the words, in order.
    func ranges(in text: String) -> [Range<String.Index>] {
        guard !words.isEmpty else { return [] }
        let bytes = text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        var found: [Range<String.Index>] = []
        var index = 0
        while index < bytes.count, found.count < Self.maximumCount {
            guard let word = words.first(where: { bytes[index...].starts(with: $0) }) else {
                index += 1
                continue
            }
            let start = text.utf8.index(text.startIndex, offsetBy: index)
            found.append(start..<text.utf8.index(start, offsetBy: word.count))
            index += word.count
        }
        return found
    }
}
