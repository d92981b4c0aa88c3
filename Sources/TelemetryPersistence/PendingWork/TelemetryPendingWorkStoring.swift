public import TelemetryModels

/// Keeps across restarts what a client still has to do at the store and at the backup.
///
/// An opt-out is recorded here before the settings are changed, so that neither is lost where the process is killed in between: what
/// ``updatePendingWork(_:)`` returns should outlive the process. A conformer needs one place for one value, and encodes the value
/// as it likes; it is `Codable`. The requirements have names of their own, so that a settings store can conform as well.
///
/// Nothing here throws: a store that cannot be read returns no work, and one that cannot be written goes on from memory. The
/// methods may be called from any isolation, and cancelling the caller has no effect on them.
public protocol TelemetryPendingWorkStoring: Sendable {
    /// The stored work; empty where there is none.
    func loadPendingWork() async -> TelemetryPendingWork

    /// Changes the stored work as one step, also between processes, and returns the result.
    /// - Parameter transform: Gets what is stored at that moment. It may run more than once, for example where a transaction is
    ///   repeated; the last run counts.
    @discardableResult
    func updatePendingWork(_ transform: @Sendable (inout TelemetryPendingWork) -> Void) async -> TelemetryPendingWork

    /// Removes what is stored. The service never calls it; it is for hosts that erase everything.
    func removePendingWork() async
}
