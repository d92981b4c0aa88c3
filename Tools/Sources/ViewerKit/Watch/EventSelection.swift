import TelemetryModels

/// The entries of a log that match a filter. Each entry is matched once, however often the screen is drawn.
struct EventSelection: Sendable {
    private(set) var search = ""
    private(set) var clientId: String?
    private var matcher = EventSearch("")
    /// The numbers of the matching entries, in order.
    private var numbers: [Int] = []
    /// The number of the first entry that has not been matched yet.
    private var next = 0

    var count: Int { numbers.count }
    var isNarrow: Bool { !search.isEmpty || clientId != nil }

    subscript(index: Int) -> Int { numbers[index] }

    /// Changes the filter; nil stands for all clients.
    mutating func choose(search: String, clientId: String?) {
        guard search != self.search || clientId != self.clientId else { return }
        self.search = search
        self.clientId = clientId
        matcher = EventSearch(search)
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

    private func passes(_ entry: EventLog.Entry) -> Bool {
        switch entry {
        case .event(let event): (clientId == nil || event.clientId == clientId) && matcher.matches(event)
        case .gap(_, _, let gapClient): search.isEmpty && (clientId == nil || gapClient == clientId)
        case .skipped: search.isEmpty
        }
    }
}
