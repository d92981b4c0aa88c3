/// Finds a pattern in the strings of one screen, in limited time.
struct SearchHighlighter {
    private let pattern: EventPattern
    private var rest = Duration.milliseconds(30)

    init(_ pattern: EventPattern) { self.pattern = pattern }

    mutating func ranges(in text: String) -> [Range<String.Index>] {
        guard rest > .zero else { return [] }
        let start = EventPattern.processorTime
        defer { rest -= EventPattern.processorTime - start }
        return pattern.ranges(in: text)
    }
}
