import TelemetryModels
import ViewerKit

/// Compares the events that the host logged with those that the viewer received.
struct Ledger: Sendable {
    /// One event, identified by the host's count.
    struct Key: Hashable, Sendable {
        let session: String
        let number: Int
    }

    /// One run of the host's work.
    struct Run: Hashable, Sendable {
        let session: String
        let number: Int
    }

    struct Account: Sendable, Equatable {
        var logged = 0
        var delivered = 0
        var lost = 0
        var duplicated = 0
        var whileOff = 0
    }

    private(set) var scenarios: [String: Account] = [:]
    /// The number of dropped events that the logger reported.
    private(set) var dropped: Int64 = 0
    /// The number of events that arrived after an event that was logged later.
    private(set) var disorder = 0
    /// The number of missing sequence numbers.
    private(set) var gaps = 0
    /// The number of events that arrived but that the host did not count, because it was killed.
    private(set) var uncounted = 0

    /// - Parameters:
    ///   - tally: The host's tally, in order.
    ///   - off: The scenarios that were disabled during a whole run.
    init(tally: [(key: Key, scenario: String)], arrivals: [TelemetryEvent], off: [Run: Set<String>]) {
        var expected: [Key: String] = [:]
        for line in tally {
            expected[line.key] = line.scenario
            scenarios[line.scenario, default: Account()].logged += 1
        }
        var seen: Set<Key> = []
        var lastNumber: [String: Int] = [:]
        var sequences: [String: [UInt64]] = [:]
        for event in arrivals {
            sequences[event.sessionId, default: []].append(event.sequence)
            guard let scenario = event.scenario, let key = Key(event) else {
                dropped = dropped.addingClamped(event.reportedDrops)
                continue
            }
            if !seen.insert(key).inserted {
                scenarios[scenario, default: Account()].duplicated += 1
                continue
            }
            scenarios[scenario, default: Account()].delivered += 1
            if key.number < lastNumber[key.session] ?? 0 { disorder += 1 }
            lastNumber[key.session] = key.number
            if expected[key] != scenario { uncounted += 1 }
            if let run = Run(event), off[run]?.contains(scenario) == true {
                scenarios[scenario, default: Account()].whileOff += 1
            }
        }
        for line in tally where !seen.contains(line.key) { scenarios[line.scenario, default: Account()].lost += 1 }
        for numbers in sequences.values {
            guard let first = numbers.min(), let last = numbers.max() else { continue }
            gaps += Int(last - first) + 1 - Set(numbers).count
            disorder += zip(numbers, numbers.dropFirst()).count { $0 > $1 }
        }
    }

    /// The discrepancies, one sentence each. Empty if every event arrived once, in order, and while its scenario was enabled.
    /// - Parameter kills: How often the host was killed. Each kill may leave one event that was logged but not counted.
    func faults(kills: Int) -> [String] {
        var faults: [String] = []
        for (name, account) in scenarios.sorted(by: { $0.key < $1.key }) {
            if account.lost > 0 { faults.append("\(name): \(account.lost) events were logged but did not arrive.") }
            if account.duplicated > 0 { faults.append("\(name): \(account.duplicated) events arrived more than once.") }
            if account.whileOff > 0 { faults.append("\(name): \(account.whileOff) events were recorded while it was disabled.") }
        }
        if uncounted > kills { faults.append("\(uncounted) events arrived that the host did not log.") }
        if dropped > 0 { faults.append("The logger dropped \(dropped) events.") }
        if disorder > 0 { faults.append("\(disorder) events arrived out of order.") }
        if gaps > 0 { faults.append("\(gaps) sequence numbers are missing.") }
        return faults
    }
}

extension Ledger.Key {
    init?(_ event: TelemetryEvent) {
        guard let number = event.attributes["number"]?.intValue else { return nil }
        self.init(session: event.sessionId, number: Int(number))
    }
}

extension Ledger.Run {
    init?(_ event: TelemetryEvent) {
        guard let number = event.attributes["run"]?.intValue else { return nil }
        self.init(session: event.sessionId, number: Int(number))
    }
}

extension Ledger.Account {
    static func += (sum: inout Self, account: Self) {
        sum.logged += account.logged
        sum.delivered += account.delivered
        sum.lost += account.lost
        sum.duplicated += account.duplicated
        sum.whileOff += account.whileOff
    }
}
