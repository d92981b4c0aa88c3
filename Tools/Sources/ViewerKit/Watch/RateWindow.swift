public import Foundation

/// Counts per second, by name.
public struct RateWindow: Sendable {
    /// The number of seconds that are kept.
    static let length = 60
    /// The number of seconds of which a rate is the mean: short, so that a rate follows a change within two seconds.
    static let meanSeconds = 2
    /// Counts are kept per half second.
    private static let binsPerSecond = 2

    private var counts: [String: [Int: Int]] = [:]
    /// The bin of each name's newest event.
    private var newest: [String: Int] = [:]

    public init() {}

    public mutating func add(_ name: String, at date: Date) {
        let bin = Self.bin(date)
        counts[name, default: [:]][bin, default: 0] += 1
        newest[name] = max(bin, newest[name] ?? bin)
    }

    /// Removes counts that are too old to be shown.
    public mutating func removeCounts(before now: Date) {
        let oldest = Self.bin(now) - (Self.length + 1) * Self.binsPerSecond
        for name in counts.keys {
            counts[name] = counts[name]?.filter { $0.key > oldest }
            if counts[name]?.isEmpty == true { (counts[name], newest[name]) = (nil, nil) }
        }
    }

    /// The counts of the last complete seconds, oldest first.
    public func last(_ seconds: Int, of name: String, at now: Date) -> [Int] {
        guard let bins = counts[name] else { return Array(repeating: 0, count: max(1, seconds)) }
        let current = Self.bin(now) / Self.binsPerSecond
        return (1...max(1, seconds)).reversed().map { second in
            (0..<Self.binsPerSecond).reduce(0) { $0 + (bins[(current - second) * Self.binsPerSecond + $1] ?? 0) }
        }
    }

    /// The mean number of events per second in the last two seconds.
    ///
    /// The seconds end with the newest event if it is less than a second old, because clients send events in batches.
    public func rate(of name: String, at now: Date) -> Double {
        guard let bins = counts[name] else { return 0 }
        let current = Self.bin(now)
        let end = min(current, max(current - Self.binsPerSecond, (newest[name] ?? current) + 1))
        let count = (end - Self.meanSeconds * Self.binsPerSecond..<end).reduce(0) { $0 + (bins[$1] ?? 0) }
        return Double(count) / Double(Self.meanSeconds)
    }

    private static func bin(_ date: Date) -> Int {
        Int((date.timeIntervalSince1970 * Double(binsPerSecond)).rounded(.down))
    }
}
