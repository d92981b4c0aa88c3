public import Foundation

/// The limits on stored debug log entries. Beyond a limit, the entries that arrived first are deleted first.
public struct DebugLogRetention: Sendable, Equatable {
    /// The limit that an entry exceeded.
    public enum Bound: String, Sendable, CaseIterable { case age, bytes, entries }

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

/// The size of the stored debug log entries, and what happened to them since the storage was opened.
public struct DebugLogUsage: Sendable, Equatable {
    public var entries: Int
    /// Approximate.
    public var bytes: Int
    /// The number of entries that retention deleted, by the limit that they exceeded.
    public var deleted: [DebugLogRetention.Bound: Int]
    /// The number of damaged entries that searches skipped, counted once per search.
    public var unreadable: Int

    public init(entries: Int, bytes: Int, deleted: [DebugLogRetention.Bound: Int], unreadable: Int) {
        self.entries = entries
        self.bytes = bytes
        self.deleted = deleted
        self.unreadable = unreadable
    }
}
