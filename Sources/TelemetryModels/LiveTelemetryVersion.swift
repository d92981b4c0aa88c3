/// The package's version, as in Semantic Versioning 2.0.0.
public enum LiveTelemetryVersion {
    /// Incremented when the public API changes incompatibly.
    public static let major = 0
    /// Incremented when the public API gains features; below 1.0, even when it changes incompatibly.
    public static let minor = 2
    /// Incremented for fixes only.
    public static let patch = 0
    /// "major.minor.patch".
    public static let version = "\(major).\(minor).\(patch)"
}
