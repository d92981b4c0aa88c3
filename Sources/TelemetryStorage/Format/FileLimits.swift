/// The most bytes of the files that are read whole. What is larger is no file of the store's, and is not read at all.
package enum FileLimits {
    /// A record or a subscription.
    package static let record = 16 << 20
    /// The mark of a store.
    package static let mark = 64 << 10
    /// A line of a segment or of the journal.
    package static let line = 16 << 20
    /// What is read at once of a file that may be large.
    package static let piece = 1 << 20
    /// Lines of a segment whose places are kept in memory.
    package static let knownLines = 1 << 24
    /// A list of what was removed.
    package static let list = 1 << 20
}
