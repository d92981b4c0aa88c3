/// The package's version, by semantic versioning 2.0.0.
public enum LiveTelemetryVersion {
    public static let major = 0
    public static let minor = 1
    public static let patch = 0
    /// "major.minor.patch".
    public static let version = "\(major).\(minor).\(patch)"
}
