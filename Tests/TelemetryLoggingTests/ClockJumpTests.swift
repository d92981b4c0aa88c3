import Foundation
import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryLogging

/// Waiting events when the wall clock is set: their age is independent of it.
struct ClockJumpTests {
    /// A wall clock that the test sets, and an independent clock for elapsed time.
    final class Clocks: Sendable {
        let wall = Mutex(Date(timeIntervalSince1970: 60))
        let passing = ManualClock()

        var now: @Sendable () -> Date { { self.wall.withLock { $0 } } }

        func synchronise() { wall.withLock { $0 = TelemetryFixtures.date } }

        /// Advances both.
        func pass(_ seconds: TimeInterval) {
            wall.withLock { $0 += seconds }
            passing.advance(by: .seconds(seconds))
        }
    }

    let directory = TemporaryDirectory()
    let clocks = Clocks()
    let transport = MockTelemetryTransport()

    func logger(in directory: TemporaryDirectory?) async -> TelemetryLogger {
        let logger = TelemetryLogger(
            configuration: .init(spoolDirectory: directory?.url), transport: transport, clock: clocks.passing,
            now: clocks.now)
        await logger.setClientIdentifier("X")
        await logger.activate(enabled: true)
        return logger
    }

    var storedNames: [String] {
        get async throws { try await transport.store.fetchAllEvents().map(\.name) }
    }

    @Test("Events that were logged before the clock was first set are delivered", arguments: [true, false])
    func firstSynchronisation(hasSpool: Bool) async throws {
        transport.isOffline = true
        let logger = await logger(in: hasSpool ? directory : nil)
        logger.logEvent(name: "before")
        clocks.synchronise()
        logger.logEvent(name: "after")
        transport.isOffline = false
        await logger.flush()
        #expect(try await storedNames == ["before", "after"])
        #expect(logger.statistics.dropped == [:])
    }

    @Test("After a kill the next process delivers them too, until they have waited too long")
    func nextProcess() async throws {
        transport.isOffline = true
        let first = await logger(in: directory)
        first.logEvent(name: "before")
        let copies = [try directory.copy(), try directory.copy()]
        transport.isOffline = false
        clocks.synchronise()
        let next = await logger(in: copies[0])
        await next.flush()
        #expect(try await storedNames == ["before"])
        clocks.pass(8 * 86_400)
        // The limit counts on the logger's clock: a logger that starts now does not count these days, but this one does.
        transport.isOffline = true
        let late = await logger(in: copies[1])
        #expect(late.statistics.recovered == 1)
        clocks.pass(8 * 86_400)
        transport.isOffline = false
        await late.flush()
        #expect(late.statistics.dropped == [.expired: 1])
    }

    @Test(
        "Events of an earlier or unknown boot, with the time of a clock that was not set, wait from now on",
        arguments: [nil, BootTime(boot: 1, seconds: 5), BootTime(boot: 1, seconds: .nan), BootTime(boot: 1, seconds: .infinity)])
    func earlierBoot(begun: BootTime?) async throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        try segment(logged: -978_307_000, begun: begun).write(to: directory.url(of: "abc-1.segment"))
        let copy = try directory.copy()
        clocks.synchronise()
        let logger = await logger(in: directory)
        await logger.flush()
        #expect(try await storedNames == ["event"])
        transport.isOffline = true
        let late = await self.logger(in: copy)
        clocks.pass(8 * 86_400)
        await late.flush()
        #expect(late.statistics.dropped == [.expired: 1])
    }

    @Test("Events of an earlier boot with a plausible time expire by that time")
    func plausible() async throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        let logged = TelemetryFixtures.date.timeIntervalSinceReferenceDate - 8 * 86_400
        try segment(logged: logged, begun: nil).write(to: directory.url(of: "abc-1.segment"))
        clocks.synchronise()
        let logger = await logger(in: directory)
        await logger.flush()
        #expect(logger.statistics.dropped == [.expired: 1])
    }

    /// A segment with one event of client X.
    private func segment(logged: Double, begun: BootTime?) throws -> Data {
        let memory = SegmentMemory(count: 16 << 10)
        memory.clear()
        let session = Session(id: "ABC")
        let start = SegmentHeader.write(to: memory, session: session, firstSequence: 1, ordinal: 1)
        var segment = CaptureSegment(memory: memory, session: session, start: start, firstSequence: 1)
        segment.appendDefinition(FrameEncoding.definition(clientId: "X", begun: begun))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 16)
        defer { buffer.deallocate() }
        let event = CapturedEvent(
            name: "event", scenario: nil, level: .info, property1: nil, attributes: [:],
            secondsSinceReference: logged, thread: 1)
        let frame = FrameEncoding.encode(event, in: buffer)
        segment.append(frame, sequence: 1)
        return Data(memory.withBytes(in: 0..<memory.count) { $0.array })
    }
}
