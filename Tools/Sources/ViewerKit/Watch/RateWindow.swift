public import Foundation

/// Counts per second, by name.
public struct RateWindow: Sendable {
    /// The number of seconds that are kept.
    static let length = 60

    private var counts: [String: [Int: Int]] = [:]

    public init() {}

    public mutating func add(_ name: String, at date: Date) {
        counts[name, default: [:]][Self.second(date), default: 0] += 1
    }

    /// Removes counts that are too old to be shown.
    public mutating func removeCounts(before now: Date) {
        let oldest = Self.second(now) - Self.length
        for name in counts.keys {
            counts[name] = counts[name]?.filter { $0.key > oldest }
            if counts[name]?.isEmpty == true { counts[name] = nil }
        }
    }

    /// The counts of the last complete seconds, oldest first.
    public func last(_ seconds: Int, of name: String, at now: Date) -> [Int] {
        let current = Self.second(now)
        return (1...max(1, seconds)).reversed().map { counts[name]?[current - $0] ?? 0 }
    }

    /// Events per second over the last ten seconds.
    public func rate(of name: String, at now: Date) -> Double { Double(last(10, of: name, at: now).reduce(0, +)) / 10 }

    private static func second(_ date: Date) -> Int { Int(date.timeIntervalSince1970.rounded(.down)) }
}
