/// How much an event matters: `.info` for general events, `.diagnostic` for detail in volume.
public enum TelemetryLogLevel: String, Sendable, CaseIterable, Comparable, Codable {
    /// What is of interest whenever the scenario is on.
    case info
    /// Details for whoever is looking into a fault.
    case diagnostic

    private var rank: Int {
        switch self {
        case .info: 0
        case .diagnostic: 1
        }
    }

    public static func < (lhs: TelemetryLogLevel, rhs: TelemetryLogLevel) -> Bool { lhs.rank < rhs.rank }
}
