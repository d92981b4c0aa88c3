public import Foundation

/// The limits on stored events. Beyond a limit, the events that arrived first are deleted first.
public struct RelayEventRetention: Sendable, Equatable {
    /// The limit that an event exceeded.
    public enum Bound: String, Sendable, CaseIterable { case age, bytes, capacity }

    /// The maximum number of events.
    public var capacity: Int
    /// The approximate maximum size of events as they are stored, in bytes. The last event is kept regardless of its size.
    public var bytes: Int
    /// The maximum age of an event after its arrival, in seconds, unless a rule sets another one. An event is kept up to a thirtieth longer,
    /// with the others of its block.
    public var age: TimeInterval
    /// How long after its arrival a deleted event is not stored again, in seconds. A stored event is a duplicate at any age.
    public var dedupeWindow: TimeInterval
    /// The maximum number of identifiers of deleted events that are kept. Consecutive ones of a session count once. Those
    /// that arrived first are dropped first.
    public var dedupeCapacity: Int
    /// Limits by scenario, of which the first one that matches holds. The limits on the number and the size of all events hold as well.
    public var rules: [RetentionRule]

    public init(
        capacity: Int = 1_000_000, bytes: Int = 2 << 30, age: TimeInterval = 30 * 86_400,
        dedupeWindow: TimeInterval = 7 * 86_400, dedupeCapacity: Int = 5_000_000, rules: [RetentionRule] = []
    ) {
        self.capacity = capacity
        self.bytes = bytes
        self.age = age
        self.dedupeWindow = dedupeWindow
        self.dedupeCapacity = dedupeCapacity
        self.rules = rules
    }
}
