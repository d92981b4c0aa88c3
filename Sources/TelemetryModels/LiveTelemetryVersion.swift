/// The package's version, by semantic versioning 2.0.0.
public enum LiveTelemetryVersion {
    /// Increases where the public API changes incompatibly.
    public static let major = 0
    /// Increases where the public API grows; below 1.0, also where it changes incompatibly.
    public static let minor = 1
    /// Increases for fixes alone.
    public static let patch = 0
    /// "major.minor.patch".
    public static let version = "\(major).\(minor).\(patch)"
}
