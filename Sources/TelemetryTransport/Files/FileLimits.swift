/// The most bytes of the files that are read whole. What is larger is no file of the store's, and is not read at all.
enum FileLimits {
    /// A record or a subscription.
    static let record = 16 << 20
    /// The mark of a store.
    static let mark = 64 << 10
    /// A list of what was removed.
    static let list = 1 << 20
}
