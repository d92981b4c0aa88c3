/// Something that a host does over and over, and tells about under scenarios.
public protocol Work: Sendable {
    /// Every scenario that the work logs under, in the order in which a person would want to see them.
    var scenarios: [String] { get }

    /// Does the work once; ends early when its task is cancelled. Never throws: what cannot be read is told in an event.
    func run(_ log: WorkLog) async -> WorkSummary
}

/// What one run of the work came to.
public struct WorkSummary: Sendable, Equatable {
    /// Files, or lines.
    public var items = 0
    public var bytes = 0

    public init() {}
}
