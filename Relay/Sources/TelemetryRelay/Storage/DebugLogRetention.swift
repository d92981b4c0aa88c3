public import Foundation

/// How much is kept. What goes beyond one of the bounds is deleted, those that arrived first going first.
public struct DebugLogRetention: Sendable, Equatable {
    /// Which bound an entry went beyond.
    enum Bound: String, CaseIterable { case age, bytes, entries }

    /// So many entries.
    public var entries: Int
    /// So many bytes of the database, without its log of changes; the last entry stays, however large.
    public var bytes: Int
    /// So many seconds after its arrival an entry goes.
    public var age: TimeInterval

    public init(entries: Int = 1_000_000, bytes: Int = 2 << 30, age: TimeInterval = 30 * 86_400) {
        self.entries = entries
        self.bytes = bytes
        self.age = age
    }
}

/// How much is kept now.
public struct DebugLogUsage: Sendable, Equatable {
    public let entries: Int
    public let bytes: Int

    public init(entries: Int, bytes: Int) {
        self.entries = entries
        self.bytes = bytes
    }
}
