/// Size limits in bytes for files that are read whole. A larger file is not the store's and is not read.
package enum FileLimits {
    /// A record or a subscription.
    package static let record = 16 << 20
    /// The manifest of a store.
    package static let manifest = 64 << 10
    /// A line of a segment or of the journal.
    package static let line = 16 << 20
    /// The chunk size for reading large files.
    package static let piece = 1 << 20
    /// The maximum number of a segment's runs whose positions are kept in memory.
    package static let knownRuns = 1 << 24
    /// The list of removed journal files, or of removed segments.
    package static let list = 1 << 20
}
