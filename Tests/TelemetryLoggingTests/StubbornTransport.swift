import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport

/// A transport whose appends ignore cancellation and return only when they are released.
actor StubbornTransport: AppendOnlyTransport {
    nonisolated let entered = Latch()
    private nonisolated let released = Latch()

    nonisolated func release() { released.open() }

    func append(_ events: [TelemetryEvent]) async throws {
        entered.open()
        await released.wait()
    }
}
