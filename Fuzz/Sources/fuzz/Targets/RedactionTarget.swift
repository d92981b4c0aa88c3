@_spi(Tooling) import TelemetryLogging

/// Searches a string for patterns, which hosts log with anything around them.
enum RedactionTarget {
    private typealias Pattern = PatternScanner.Pattern

    private static let scanner = PatternScanner(Set(Pattern.allCases))
    private static let single = Pattern.allCases.map { PatternScanner([$0]) }

    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        let matches = scanner.matches(in: text)
        checkRanges(matches, in: text)
        // What one pattern matches is matched among the others; of an address, at least a part that another pattern has.
        var matched = Array(repeating: false, count: text.utf8.count)
        for match in matches { for index in match.range { matched[index] = true } }
        for scanner in single {
            let alone = scanner.matches(in: text)
            checkRanges(alone, in: text)
            for match in alone {
                let isMatched =
                    match.pattern == .emailAddress ? match.range.contains { matched[$0] } : match.range.allSatisfy { matched[$0] }
                require(isMatched, "\(match) of \"\(text)\" is found only alone")
            }
        }
        // No pattern extends over a line feed.
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        var found: [Range<Int>] = []
        var start = 0
        for line in lines {
            let string = String(decoding: line, as: UTF8.self)
            found += scanner.matches(in: string).map { $0.range.lowerBound + start..<$0.range.upperBound + start }
            start += line.count + 1
        }
        require(found == matches.map(\.range), "\"\(text)\" has other matches than its lines")
    }

    private static func checkRanges(_ matches: [PatternScanner.Match], in text: String) {
        let bytes = Array(text.utf8)
        var end = 0
        for match in matches {
            require(match.range.lowerBound >= end && !match.range.isEmpty, "\(match) of \"\(text)\" overlaps the one before")
            require(match.range.upperBound <= bytes.count, "\(match) extends over the end of \"\(text)\"")
            for bound in [match.range.lowerBound, match.range.upperBound] {
                require(bound == bytes.count || bytes[bound] & 0xC0 != 0x80, "\(match) of \"\(text)\" is cut within a character")
            }
            end = match.range.upperBound
        }
    }
}
