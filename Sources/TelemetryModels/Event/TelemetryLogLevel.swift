/// An event's level of detail: `.info` for general events, `.diagnostic` for high-volume details.
public enum TelemetryLogLevel: String, Sendable, CaseIterable, Comparable, Codable {
    /// Events of interest whenever the scenario is on.
    case info
    /// Details for investigating a fault.
    case diagnostic

    private var rank: Int {
        switch self {
        case .info: 0
        case .diagnostic: 1
        }
    }

    public static func < (lhs: TelemetryLogLevel, rhs: TelemetryLogLevel) -> Bool { lhs.rank < rhs.rank }
}
