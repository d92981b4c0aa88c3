import TelemetryStorage

/// The version of the file store's format, for the separate package of tools; not part of the interface.
@_spi(Tooling)
public enum FileStoreVersion {
    /// The version that this library writes, and the newest one that it reads.
    public static var current: Int { StoreFormat.version }
}
