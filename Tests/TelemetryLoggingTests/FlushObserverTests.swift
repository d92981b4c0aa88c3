import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import Testing

struct FlushObserverTests {
    @Test("Each of the application's notifications flushes the logger, until the observer ends")
    func flushes() async throws {
        let bench = await Bench.active()
        let center = NotificationCenter()
        let name = try #require(TelemetryFlushObserver.applicationNotifications.first)
        var observer: TelemetryFlushObserver? = TelemetryFlushObserver(flushing: bench.logger, of: center)
        bench.logger.logEvent(name: "1")
        center.post(name: Notification.Name("something else"), object: nil)
        #expect(bench.transport.calls.isEmpty)
        center.post(name: name, object: nil)
        await bench.transport.called(.append)
        bench.logger.logEvent(name: "2")
        center.post(name: name, object: nil)
        await bench.transport.called(.append, atLeast: 2)
        #expect(bench.appends == [["1"], ["2"]])
        withExtendedLifetime(observer) {}
        observer = nil
        bench.logger.logEvent(name: "3")
        center.post(name: name, object: nil)
        await bench.clock.sleepers()
        #expect(bench.appends == [["1"], ["2"]])
    }
}
