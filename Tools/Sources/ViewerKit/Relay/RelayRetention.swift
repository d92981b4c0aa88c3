import Foundation

/// How long a relay keeps the events of each scenario, from `GET /v1/server`.
public struct RelayRetention: Sendable, Equatable {
    public struct Limits: Sendable, Equatable {
        /// The maximum age after the arrival, in seconds.
        public let age: Int
        /// The maximum size of the events for which these limits hold, in bytes; nil for no limit of their own.
        public let bytes: Int?

        /// The limits as the relay's option `--retain` takes them, such as `1d,100MB`.
        public var text: String { DurationText.compact(seconds: Double(age)) + (bytes.map { ",\(Self.text(bytes: $0))" } ?? "") }

        private static func text(bytes: Int) -> String {
            let units = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)]
            return units.first { bytes % $0.1 == 0 }.map { "\(bytes / $0.1)\($0.0)" } ?? "\(bytes)B"
        }
    }

    private struct Rule: Equatable {
        let pattern: String
        let limits: Limits
    }

    private let rules: [Rule]
    private let others: Limits

    /// Returns nil if the relay's description does not contain the retention, as for hosts.
    init?(_ description: [String: Any]) {
        guard let rules = description["retention"] as? [[String: Any]],
            let others = description["defaultRetention"] as? [String: Any], let age = others["age"] as? Int
        else { return nil }
        self.others = Limits(age: age, bytes: nil)
        self.rules = rules.compactMap { rule in
            guard let scenario = rule["scenario"] as? String, let age = rule["age"] as? Int else { return nil }
            let parts = scenario.components(separatedBy: "*").map(NSRegularExpression.escapedPattern)
            return Rule(
                pattern: "\\A(?s:\(parts.joined(separator: ".*")))\\z", limits: Limits(age: age, bytes: rule["bytes"] as? Int))
        }
    }

    /// The limits that hold for the events of a scenario.
    /// - Parameter scenario: Nil for events without a scenario.
    public func limits(of scenario: String?) -> Limits {
        guard let name = scenario?.precomposedStringWithCanonicalMapping else { return others }
        return rules.first { name.range(of: $0.pattern, options: .regularExpression) != nil }?.limits ?? others
    }
}
