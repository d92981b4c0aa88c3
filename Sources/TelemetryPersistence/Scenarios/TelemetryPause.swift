/// Who paused telemetry; empty where nobody did.
public struct TelemetryPause: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The host paused, which a viewer cannot undo.
    public static let byHost = Self(rawValue: 1)
    /// A viewer paused.
    public static let byViewer = Self(rawValue: 2)
}
