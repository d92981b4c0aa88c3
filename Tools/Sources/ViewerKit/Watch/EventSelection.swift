import TelemetryModels

/// The entries of a log that match a filter. Each entry is matched once, however often the screen is drawn.
struct EventSelection: Sendable {
    private(set) var filter = EventViewFilter()
    private var budget = SearchBudget.view
    /// The numbers of the matching entries, in order.
    private var numbers: [Int] = []
    /// The number of the first entry that has not been matched yet.
    private var next = 0

    var count: Int { numbers.count }
    /// Whether the filter's expression takes so long that it is no longer evaluated.
    var isTooSlow: Bool { budget.isExhausted }

    subscript(index: Int) -> Int { numbers[index] }

    mutating func choose(_ filter: EventViewFilter) {
        self.filter = filter
        budget = .view
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
        guard filter.clientId == nil || event.clientId == filter.clientId else { return false }
        if let severity = filter.severity, event.severity < severity { return false }
        guard let pattern = filter.pattern else { return true }
        return budget.outcome(of: pattern, for: event) == .match
    }

    private mutating func passes(_ entry: EventLog.Entry) -> Bool {
        switch entry {
        case .event(let event): accepts(event)
        case .gap(_, _, let gapClient): !filter.selectsContents && (filter.clientId == nil || gapClient == filter.clientId)
        case .skipped: !filter.selectsContents
        }
    }
}
