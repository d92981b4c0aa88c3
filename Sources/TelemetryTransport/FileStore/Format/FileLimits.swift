/// Size limits in bytes for files that are read whole. A larger file is not the store's and is not read.
enum FileLimits {
    /// A record or a subscription.
    static let record = 16 << 20
    /// The manifest of a store.
    static let manifest = 64 << 10
    /// The maximum number of a segment's runs whose positions are kept in memory.
    static let knownRuns = 1 << 24
    /// The list of removed journal files, or of removed segments.
    static let list = 1 << 20
}
