public import TelemetryModels

/// Keeps a client's pending work across restarts.
///
/// An opt-out is recorded here before the settings are changed, so that it is not lost if the process is killed in between: the
/// result of ``updatePendingWork(_:)`` should outlive the process. A conforming type stores one `Codable` value in any encoding.
/// The requirements have distinct names, so that a settings store can conform as well.
///
/// The methods do not throw: a store that cannot be read returns no work, and one that cannot be written uses the value in
/// memory. They may be called from any isolation. Cancelling the caller has no effect.
public protocol TelemetryPendingWorkStoring: Sendable {
    /// Returns the stored work; empty if there is none.
    func loadPendingWork() async -> TelemetryPendingWork

    /// Changes the stored work atomically across processes and returns the result.
    /// - Parameter transform: Receives the currently stored work. It may run more than once, for example if a transaction is
    ///   repeated; the last run counts.
    @discardableResult
    func updatePendingWork(_ transform: @Sendable (inout TelemetryPendingWork) -> Void) async -> TelemetryPendingWork

    /// Removes the stored work. The service never calls it; it is for hosts that erase everything.
    func removePendingWork() async

    /// Returns the same as ``loadPendingWork()``, called before each delivery of events: a store should read only if the work may
    /// have changed. The default calls ``loadPendingWork()``.
    func currentPendingWork() async -> TelemetryPendingWork

    /// Whether all of the work is written; the default is true. Otherwise the store keeps it in memory and writes it when it can.
    var isPendingWorkSaved: Bool { get async }
}

extension TelemetryPendingWorkStoring {
    public func currentPendingWork() async -> TelemetryPendingWork { await loadPendingWork() }

    public var isPendingWorkSaved: Bool { get async { true } }
}
