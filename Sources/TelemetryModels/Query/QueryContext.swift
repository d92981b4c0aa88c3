#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What the evaluation of a query depends on besides events. For the project's packages; not part of the interface.
@_spi(Tooling)
public struct QueryContext: Sendable {
    /// What `time:15m` counts back from.
    public let now: Date
    /// Whether the result is not used any more, so that the evaluation may end at any place.
    public let isCancelled: @Sendable () -> Bool

    /// - Parameter isCancelled: Called from any thread; by default, whether the current task is cancelled.
    public init(now: Date, isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }) {
        (self.now, self.isCancelled) = (now, isCancelled)
    }
}
