import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Appends that return after the delivery that began them has ended.
struct HangingAppendTests {
    /// Each append opens its first latch, and returns, ignoring cancellation, once its second one is open.
    actor SlowTransport: AppendOnlyTransport {
        nonisolated let entered = [Latch(), Latch()]
        nonisolated let released = [Latch(), Latch()]
        nonisolated let left = Latch()
        private var count = 0

        func append(_ events: [TelemetryEvent]) async throws {
            let number = count
            count += 1
            guard number < 2 else { return }
            entered[number].open()
            await released[number].wait()
            left.open()
        }
    }

    @Test(
        "After a late return of an earlier append, a hanging one delays turning off only until the deadline",
        .timeLimit(.minutes(10)))
    func twoHang() async {
        let transport = SlowTransport()
        let clock = ManualClock()
        let logger = TelemetryLogger(configuration: .init(shutdownDeadline: 5), transport: transport, clock: clock)
        await logger.activate(enabled: true)
        logger.logEvent(name: "1")
        async let first: Void = logger.flush()
        await transport.entered[0].wait()
        async let off: Void = logger.setEnabled(false)
        await clock.sleepers()
        clock.advance(by: .seconds(5))
        await off
        await first
        await logger.setEnabled(true)
        logger.logEvent(name: "2")
        async let second: Void = logger.flush()
        await transport.entered[1].wait()
        transport.released[0].open()
        await transport.left.wait()
        // The first append's return is processed before these calls, or the deadline applies anyway.
        for _ in 1...100 { await logger.updateScenarioStates([:]) }
        async let offAgain: Void = logger.setEnabled(false)
        await clock.sleepers()
        clock.advance(by: .seconds(5))
        await offAgain
        #expect(await logger.hasStragglers, "the second append still hangs")
        await second
        transport.released[1].open()
    }
}
