import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import Testing

struct FlushIntervalTests {
    @Test("A batch is sent after the flush interval")
    func time() async throws {
        let clock = ManualClock()
        let transport = MockTelemetryTransport()
        let logger = TelemetryLogger(configuration: .init(flushInterval: 30), transport: transport, clock: clock)
        await logger.activate(enabled: true)
        logger.logEvent(name: "app.started")
        // The logger sleeps until the interval has passed.
        await clock.sleepers()
        clock.advance(by: .seconds(30))
        await transport.called(.append)
        #expect(transport.appendedEvents.map(\.name) == ["app.started"])
        await logger.shutdown()
    }
}
