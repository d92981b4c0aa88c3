/// The numeric options. Raw values are the names of environment variables without their prefix.
public enum RelayNumber: String, Sendable {
    case port = "PORT"
    case bodyLimit = "BODY_LIMIT"
    case batchLimit = "BATCH_LIMIT"
    case saveLimit = "SAVE_LIMIT"
    case pageLimit = "PAGE_LIMIT"
    case queryTime = "QUERY_TIME"
    case clientStreams = "CLIENT_STREAMS"
    case tokenStreams = "TOKEN_STREAMS"
    case connections = "CONNECTIONS"
    case addressConnections = "ADDRESS_CONNECTIONS"
    case connectionBytes = "CONNECTION_BYTES"
    case waitingBytes = "WAITING_BYTES"
    case newClientRate = "NEW_CLIENT_RATE"
    case clientRate = "CLIENT_RATE"
    case tokenRate = "TOKEN_RATE"
    case debugRate = "DEBUG_RATE"
    // Defaults for both debug log entries and events.
    case capacity = "CAPACITY"
    case maximumBytes = "MAX_BYTES"
    case maximumAge = "MAX_AGE"
    case eventCapacity = "EVENT_CAPACITY"
    case eventMaximumBytes = "EVENT_MAX_BYTES"
    case eventMaximumAge = "EVENT_MAX_AGE"
    case debugCapacity = "DEBUG_CAPACITY"
    case debugMaximumBytes = "DEBUG_MAX_BYTES"
    case debugMaximumAge = "DEBUG_MAX_AGE"
    case recordMaximumBytes = "RECORD_MAX_BYTES"
    case dedupeWindow = "DEDUPE_WINDOW"
    case dedupeCapacity = "DEDUPE_CAPACITY"

    /// The valid values; ages are in hours.
    var range: ClosedRange<Int> {
        switch self {
        case .port: 0...65_535
        case .bodyLimit: 1...(1 << 30)
        case .batchLimit: 1...1_000_000
        case .saveLimit, .pageLimit, .clientStreams, .tokenStreams: 1...100_000
        case .queryTime: 1...3_600
        case .connections, .addressConnections: 1...1_000_000
        case .newClientRate, .clientRate, .tokenRate, .debugRate: 0...Int.max
        case .capacity, .eventCapacity, .debugCapacity, .dedupeCapacity: 1...Int.max
        case .connectionBytes, .waitingBytes, .maximumBytes, .eventMaximumBytes, .debugMaximumBytes: 1 << 20...Int.max
        case .recordMaximumBytes: 1 << 20...1 << 60
        case .maximumAge, .eventMaximumAge, .debugMaximumAge, .dedupeWindow: 1...1_000_000
        }
    }
}

/// Looks up options: first the flag, then the environment variable.
struct RelayOptionValues {
    let numbers: [RelayNumber: Int]
    let environment: [String: String]

    func text(_ flag: String?, _ name: String) -> String? { flag ?? environment["TELEMETRY_RELAY_\(name)"] }

    /// The value of the first option that is set.
    func number(_ options: RelayNumber...) throws -> Int? {
        // Validates every option, including those that an earlier one overrides.
        try options.map(value).compactMap { $0 }.first
    }

    private func value(_ option: RelayNumber) throws -> Int? {
        let name = option.rawValue
        guard let text = numbers[option].map(String.init) ?? environment["TELEMETRY_RELAY_\(name)"] else { return nil }
        guard let value = Int(text), option.range.contains(value) else {
            throw RelayConfigurationError("\(name.lowercased()) must be a number in \(option.range), not \(text)")
        }
        return value
    }

    /// Whether a switch is on.
    func isSet(_ name: String) -> Bool { ["1", "true", "yes"].contains(environment["TELEMETRY_RELAY_\(name)"]?.lowercased()) }
}
