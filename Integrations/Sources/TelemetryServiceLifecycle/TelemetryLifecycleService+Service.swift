public import ServiceLifecycle
public import TelemetryLifecycle

/// Runs telemetry in a `ServiceGroup`.
///
/// A group shuts its services down in the reverse order. List telemetry first, so that the events that other services log during
/// their shutdown are delivered.
extension TelemetryLifecycleService: @retroactive Service {
    /// Starts telemetry, and shuts it down on a graceful shutdown, or if the task is cancelled.
    ///
    /// The shutdown delivers the waiting events. It takes at most ``/TelemetryLifecycle/TelemetryLifecycleService/Configuration/operationTimeout``;
    /// events that are not delivered by then wait in the spool directory for the next run. A store that cannot be reached does not
    /// end the service.
    public func run() async throws {
        await startup()
        // It throws only if the task is cancelled, which also ends the service.
        try? await gracefulShutdown()
        await shutdown()
    }
}
