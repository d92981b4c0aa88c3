public import Foundation

/// The limits on stored debug log entries. Beyond a limit, the entries that arrived first are deleted first.
public struct DebugLogRetention: Sendable, Equatable {
    /// The limit that an entry exceeded.
    enum Bound: String, CaseIterable { case age, bytes, entries }

    /// The maximum number of entries.
    public var entries: Int
    /// The maximum size of all entries, in bytes, approximately. The last entry is kept regardless of its size.
    public var bytes: Int
    /// The maximum age of an entry after its arrival, in seconds.
    public var age: TimeInterval

    public init(entries: Int = 1_000_000, bytes: Int = 2 << 30, age: TimeInterval = 30 * 86_400) {
        self.entries = entries
        self.bytes = bytes
        self.age = age
    }
}

/// The current size of the storage.
public struct DebugLogUsage: Sendable, Equatable {
    public let entries: Int
    public let bytes: Int

    public init(entries: Int, bytes: Int) {
        self.entries = entries
        self.bytes = bytes
    }
}
