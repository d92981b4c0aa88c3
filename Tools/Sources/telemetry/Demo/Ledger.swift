import TelemetryModels
import ViewerKit

/// What the host says it logged, held against what the viewer saw.
struct Ledger: Sendable {
    /// One event, as its host counts it.
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
    /// Events that the logger says it dropped.
    private(set) var dropped: Int64 = 0
    /// Places where an event came after one that was logged later.
    private(set) var disorder = 0
    /// Sequence numbers that never came.
    private(set) var gaps = 0
    /// Events that came and were not counted: logged in the moment of the kill.
    private(set) var uncounted = 0

    /// - Parameters:
    ///   - tally: The host's lines, in their order.
    ///   - off: In which runs a scenario was off from beginning to end.
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

    /// What is wrong, a sentence each; empty where all that was logged came once, in order, and while its scenario was on.
    /// - Parameter kills: How often the host was killed: each may leave one event that was logged and not counted.
    func faults(kills: Int) -> [String] {
        var faults: [String] = []
        for (name, account) in scenarios.sorted(by: { $0.key < $1.key }) {
            if account.lost > 0 { faults.append("\(name): \(account.lost) events were logged and never arrived.") }
            if account.duplicated > 0 { faults.append("\(name): \(account.duplicated) events arrived more than once.") }
            if account.whileOff > 0 { faults.append("\(name): \(account.whileOff) events were recorded while it was off.") }
        }
        if uncounted > kills { faults.append("\(uncounted) events arrived that the host never logged.") }
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
