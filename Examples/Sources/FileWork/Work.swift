/// Work that a host repeats, with events in scenarios.
public protocol Work: Sendable {
    /// The scenarios of the work, in display order.
    var scenarios: [String] { get }

    /// Does the work once; ends early when its task is cancelled. Never throws: a read error is logged as an event.
    func run(_ log: WorkLog) async -> WorkSummary
}

/// The result of one run of the work.
public struct WorkSummary: Sendable, Equatable {
    /// The number of files or lines.
    public var items = 0
    public var bytes = 0

    public init() {}
}
