import TelemetryModels

/// The entries of a log that match a filter. Each entry is matched once, however often the screen is drawn.
struct EventSelection: Sendable {
    private(set) var pattern: WatchPattern?
    private(set) var clientId: String?
    private var budget = SearchBudget()
    /// The numbers of the matching entries, in order.
    private var numbers: [Int] = []
    /// The number of the first entry that has not been matched yet.
    private var next = 0

    var count: Int { numbers.count }
    var isNarrow: Bool { pattern != nil || clientId != nil }
    /// Whether the filter's expression takes so long that it is no longer evaluated.
    var isTooSlow: Bool { budget.isExhausted }

    subscript(index: Int) -> Int { numbers[index] }

    /// Changes the filter; nil stands for all texts, and for all clients.
    mutating func choose(_ pattern: WatchPattern?, clientId: String?) {
        self.pattern = pattern
        self.clientId = clientId
        budget = SearchBudget()
        restart()
    }

    /// Matches all entries again, for another log.
    mutating func restart() {
        numbers = []
        next = 0
    }

    /// Matches the new entries, and removes those that the log removed.
    mutating func update(from log: EventLog) {
        if let oldest = numbers.first, oldest < log.first { numbers.removeFirst(index(of: log.first)) }
        next = max(next, log.first)
        while next < log.end {
            if passes(log[next]) { numbers.append(next) }
            next += 1
        }
    }

    /// The number of matching entries before this number.
    func index(of number: Int) -> Int {
        var range = 0..<numbers.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = numbers[middle] < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    /// Whether the filter accepts an event.
    mutating func accepts(_ event: TelemetryEvent) -> Bool {
        guard clientId == nil || event.clientId == clientId else { return false }
        guard let pattern else { return true }
        return budget.outcome(of: pattern, for: event) == .match
    }

    private mutating func passes(_ entry: EventLog.Entry) -> Bool {
        switch entry {
        case .event(let event): accepts(event)
        case .gap(_, _, let gapClient): pattern == nil && (clientId == nil || gapClient == clientId)
        case .skipped: pattern == nil
        }
    }
}
