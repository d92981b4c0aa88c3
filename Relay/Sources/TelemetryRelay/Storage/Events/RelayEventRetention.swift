public import Foundation

/// How many events are kept, and for how long. What goes beyond one of the bounds is deleted, those that arrived first going first.
public struct RelayEventRetention: Sendable, Equatable {
    /// Which bound an event was beyond.
    public enum Bound: String, Sendable, CaseIterable { case age, bytes, capacity }

    /// So many events.
    public var capacity: Int
    /// So many bytes of events and what belongs to them, about; the last event stays, however large.
    public var bytes: Int
    /// So many seconds after its arrival an event goes.
    public var age: TimeInterval
    /// For so many seconds after its arrival an event that was deleted is not stored again. One that is stored is a duplicate at
    /// any age.
    public var dedupeWindow: TimeInterval
    /// So many identifiers of deleted events are remembered at most, those that arrived first being forgotten first.
    public var dedupeCapacity: Int

    public init(
        capacity: Int = 1_000_000, bytes: Int = 2 << 30, age: TimeInterval = 30 * 86_400,
        dedupeWindow: TimeInterval = 7 * 86_400, dedupeCapacity: Int = 5_000_000
    ) {
        self.capacity = capacity
        self.bytes = bytes
        self.age = age
        self.dedupeWindow = dedupeWindow
        self.dedupeCapacity = dedupeCapacity
    }
}
