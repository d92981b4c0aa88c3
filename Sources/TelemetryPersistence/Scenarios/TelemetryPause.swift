/// Who paused telemetry; empty if it is not paused.
public struct TelemetryPause: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The host paused. A viewer cannot resume.
    public static let byHost = Self(rawValue: 1)
    /// A viewer paused.
    public static let byViewer = Self(rawValue: 2)
}
