import Foundation
import Synchronization
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Callbacks that call the logger while it works, and calls of cancelled tasks.
struct ReentryTests {
    /// Holds the logger that a callback logs to.
    final class Box: Sendable {
        private let logger = Mutex<TelemetryLogger?>(nil)

        func set(_ logger: TelemetryLogger?) { self.logger.withLock { $0 = logger } }

        func log(_ name: String, property1: String? = nil) {
            let logger = logger.withLock { $0 }
            logger?.logEvent(name: name, property1: property1)
        }
    }

    /// Logs more than the logger has room for, in each of a number of appends.
    final class StormyTransport: AppendOnlyTransport {
        static let storm = 200
        let box = Box()
        private let count = Mutex(0)

        var appends: Int { count.withLock { $0 } }

        func append(_ events: [TelemetryEvent]) async throws {
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number <= Self.storm else { return }
            for _ in 1...2_000 { box.log("storm", property1: String(repeating: "x", count: 100)) }
        }
    }

    @Test("A diagnostics handler that is called on a logging thread may log")
    func handlerLogs() async throws {
        let directory = TemporaryDirectory()
        let transport = MockTelemetryTransport()
        let box = Box()
        let logger = TelemetryLogger(
            configuration: .init(
                spoolDirectory: directory.url, diagnostics: { if $0.kind == .storageFailed { box.log("heard") } }),
            transport: transport, clock: ManualClock())
        box.set(logger)
        await logger.activate(enabled: true)
        transport.isOffline = true
        logger.logEvent(name: "first")
        try FileManager.default.removeItem(at: directory.url)
        for number in 1...20_000 { logger.logEvent(name: "event \(number)") }
        transport.isOffline = false
        await logger.flush()
        let names = try await transport.store.fetchAllEvents().map(\.name)
        #expect(names.count == 20_002)
        #expect(names.count { $0 == "heard" } == 1)
        await logger.shutdown()
        box.set(nil)
    }

    @Test("A hook may log, unless it does so for its own events")
    func hookLogs() async throws {
        let box = Box()
        let bench = await Bench.active(
            .init(process: { event in
                if event.name == "event" { box.log("from the hook") }
                return true
            }))
        box.set(bench.logger)
        bench.logger.logEvent(name: "event")
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["from the hook", "event"])
        box.set(nil)
    }

    @Test("Flush returns even if events are lost faster than the transport accepts them", .timeLimit(.minutes(10)))
    func flushDuringLosses() async {
        let transport = StormyTransport()
        // No batch is ever full: only the flush appends.
        let logger = TelemetryLogger(
            configuration: .init(batchSize: 1_000_000, memoryLimit: 128 << 10), transport: transport, clock: ManualClock())
        transport.box.set(logger)
        await logger.activate(enabled: true)
        logger.logEvent(name: "first")
        await logger.flush()
        #expect(transport.appends < StormyTransport.storm)
        await logger.setEnabled(false)
        transport.box.set(nil)
    }

    @Test("A flush that overlaps turning off returns, and the logger keeps delivering", .timeLimit(.minutes(10)))
    func flushMeetsTurningOff() async throws {
        let bench = await Bench.active()
        for _ in 1...1_000 {
            async let first: Void = bench.logger.flush()
            async let off: Void = bench.logger.setEnabled(false)
            async let second: Void = bench.logger.flush()
            _ = await (first, off, second)
            await bench.logger.setEnabled(true)
        }
        bench.logger.logEvent(name: "last")
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["last"])
    }

    @Test("A shutdown in a cancelled task still delivers", arguments: 1...20)
    func cancelledShutdown(attempt: Int) async throws {
        let bench = await Bench.active()
        bench.logger.logEvent(name: "last")
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await bench.logger.shutdown()
        }.value
        #expect(try await bench.storedNames == ["last"])
    }

    @Test("Turning off in a cancelled task waits for the append in progress", .timeLimit(.minutes(10)))
    func cancelledTurningOff() async {
        let transport = StubbornTransport()
        let clock = ManualClock()
        let logger = TelemetryLogger(transport: transport, clock: clock)
        await logger.activate(enabled: true)
        logger.logEvent(name: "under way")
        async let flushed: Void = logger.flush()
        await transport.entered.wait()
        let order = AsyncStream.makeStream(of: String.self)
        let off = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await logger.setEnabled(false)
            order.continuation.yield("off")
        }
        await clock.sleepers()
        order.continuation.yield("released")
        transport.release()
        await off.value
        await flushed
        order.continuation.finish()
        var seen: [String] = []
        for await step in order.stream { seen.append(step) }
        #expect(seen == ["released", "off"])
    }
}
