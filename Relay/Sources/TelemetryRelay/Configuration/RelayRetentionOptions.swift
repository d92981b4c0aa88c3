import Foundation

/// What a person said about how much is kept, of one kind or of all.
public struct RelayRetentionOptions: Sendable, Equatable {
    public var capacity: Int?
    public var maximumBytes: Int?
    /// In hours.
    public var maximumAge: Int?

    public init() {}

    /// The same in seconds.
    var age: TimeInterval? { maximumAge.map { TimeInterval($0) * 3600 } }

    /// With what the environment says of those that no flag does.
    func read(_ values: RelayOptionValues, prefix: String) throws -> Self {
        var result = self
        result.capacity = try values.number(capacity, prefix + "CAPACITY", 1...Int.max)
        result.maximumBytes = try values.number(maximumBytes, prefix + "MAX_BYTES", 1 << 20...Int.max)
        result.maximumAge = try values.number(maximumAge, prefix + "MAX_AGE", 1...1_000_000)
        return result
    }
}

/// Looks options up: a flag first, then the environment.
struct RelayOptionValues {
    let environment: [String: String]

    func text(_ flag: String?, _ name: String) -> String? { flag ?? environment["TELEMETRY_RELAY_\(name)"] }

    func number(_ flag: Int?, _ name: String, _ range: ClosedRange<Int>) throws -> Int? {
        guard let text = flag.map(String.init) ?? environment["TELEMETRY_RELAY_\(name)"] else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw RelayConfigurationError("\(name.lowercased()) has to be a number in \(range), and is \(text)")
        }
        return value
    }

    /// Whether a switch is on.
    func isSet(_ name: String) -> Bool { ["1", "true", "yes"].contains(environment["TELEMETRY_RELAY_\(name)"]?.lowercased()) }
}
