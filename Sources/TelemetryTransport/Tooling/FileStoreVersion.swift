/// The version of the file store's format, for the separate package of tools; not part of the interface.
@_spi(Tooling)
public enum FileStoreVersion {
    /// The only version that this library reads and writes.
    public static var current: Int { StoreFormat.version }
}
