import Foundation
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// The limits of a spool: without space, and by age.
struct SpoolBoundTests {
    let directory = TemporaryDirectory()

    var configuration: TelemetryLogger.Configuration { .init(spoolDirectory: directory.url) }

    /// An offline bench that has logged an event and waits for the end of a backoff: until then it sends and reports nothing.
    private func backingOff(_ configuration: TelemetryLogger.Configuration) async -> Bench {
        let bench = await Bench.offline(configuration)
        bench.logger.logEvent(name: "event 1")
        await bench.logger.flush()
        return bench
    }

    @Test("If no file can be created, the logger works in memory and reports it once")
    func noDirectory() async throws {
        try Data().write(to: directory.url)
        let bench = await Bench.active(configuration)
        for number in 1...100 { bench.logger.logEvent(name: "\(number)") }
        await bench.logger.flush()
        #expect(try await bench.stored.count == 100)
        #expect(bench.diagnostics.kinds == [.storageFailed])
    }

    @Test("A file's blocks are allocated before it is written to, so that a full disk does not affect a logging thread")
    func blocks() async throws {
        let bench = await Bench.active(configuration)
        bench.logger.logEvent(name: "event")
        let segments = directory.names.filter { $0.hasSuffix(".segment") }
        #expect(segments.count == 1)
        for name in segments {
            var information = stat()
            #expect(stat(directory.url(of: name).path, &information) == 0)
            #expect(information.st_size > 0 && Int(information.st_blocks) * 512 >= Int(information.st_size))
        }
    }

    @Test(
        "Many short runs without a connection lose nothing, whether they were shut down or killed",
        arguments: [false, true])
    func shortRuns(isKilled: Bool) async throws {
        var directory = directory
        for run in 1...50 {
            let bench = await Bench.offline(.init(spoolDirectory: directory.url))
            bench.logger.logEvent(name: "run \(run)")
            if isKilled { directory = try directory.copy() } else { await bench.logger.shutdown() }
        }
        let bench = await Bench.active(.init(spoolDirectory: directory.url))
        await bench.logger.flush()
        #expect(try await Set(bench.storedNames) == Set((1...50).map { "run \($0)" }))
        #expect(bench.logger.statistics.dropped.isEmpty)
    }

    @Test("A directory that is removed while the logger runs loses no kept event, and is reported")
    func directoryGoes() async throws {
        let bench = await Bench.offline(configuration)
        bench.logger.logEvent(name: "before")
        try FileManager.default.removeItem(at: directory.url)
        for number in 1...20_000 { bench.logger.logEvent(name: "event \(number)") }
        bench.transport.isOffline = false
        await bench.logger.flush()
        #expect(try await bench.stored.map(\.sequence) == Array(1...20_001))
        #expect(bench.diagnostics.kinds.contains(.storageFailed))
    }

    @Test("If no more files can be created, spooled events are kept, and memory is used as without a spool")
    func filesStay() async throws {
        var configuration = configuration
        configuration.spool.maximumBytes = 1 << 20
        configuration.memoryLimit = 128 << 10
        let bench = await backingOff(configuration)
        let property = String(repeating: "p", count: 80)
        for number in 2...5_000 { bench.logger.logEvent(name: "event \(number)", property1: property) }
        // Existing files still take events; new ones cannot be created.
        try FileManager.default.removeItem(at: directory.url)
        for number in 5_001...5_600 { bench.logger.logEvent(name: "event \(number)", property1: property) }
        #expect(bench.logger.statistics.dropped == [:])
        for number in 5_601...30_000 { bench.logger.logEvent(name: "event \(number)", property1: property) }
        let lost = try #require(bench.logger.statistics.dropped[.full])
        #expect(bench.logger.statistics.waiting < 7_500)
        bench.transport.isOffline = false
        await bench.logger.flush()
        #expect(try await bench.stored.dropLast().map(\.sequence) == Array((lost + 1)...30_000))
        #expect(bench.diagnostics.kinds.count { $0 == .storageFailed } == 1)
    }

    @Test("Beyond the limit the oldest events are dropped, counted and reported in the stream; the files stay within the limit")
    func bound() async throws {
        var configuration = configuration
        configuration.spool.maximumBytes = 256 << 10
        let bench = await backingOff(configuration)
        for number in 2...10_000 { bench.logger.logEvent(name: "event \(number)", property1: String(repeating: "x", count: 50)) }
        let sizes = try directory.names.map {
            try FileManager.default.attributesOfItem(atPath: directory.url(of: $0).path)[.size] as? Int ?? 0
        }
        // One file above the limit may be prepared.
        #expect(sizes.reduce(0, +) <= (256 + 32) << 10)
        bench.transport.isOffline = false
        await bench.logger.flush()
        let stored = try await bench.stored
        let lost = try #require(bench.logger.statistics.dropped[.full])
        let kept: ClosedRange<UInt64> = lost + 1...10_000
        #expect(stored.dropLast().map(\.sequence) == Array(kept))
        #expect(stored.last?.name == "telemetry.dropped")
        #expect(stored.last?.attributes == ["full": .int(Int64(lost))])
        #expect(lost < 10_000 && lost > 5_000)
    }

    @Test("Events that wait longer than the limit are dropped, counted and reported", arguments: [false, true])
    func age(isRestarted: Bool) async throws {
        let bench = await Bench.offline(configuration)
        bench.logger.logEvent(name: "old")
        let later = TelemetryFixtures.date.addingTimeInterval(8 * 86_400)
        let copy = try directory.copy()
        let transport = MockTelemetryTransport()
        let clock = ManualClock()
        let logger = TelemetryLogger(
            configuration: .init(spoolDirectory: copy.url), transport: transport, clock: clock, now: { later })
        clock.advance(by: .seconds(8 * 86_400))
        await logger.setClientIdentifier(TelemetryFixtures.clientId)
        await logger.activate(enabled: true)
        if isRestarted { logger.logEvent(name: "new") }
        await logger.flush()
        let stored = try await transport.store.fetchAllEvents()
        #expect(stored.map(\.name) == (isRestarted ? ["new", "telemetry.dropped"] : ["telemetry.dropped"]))
        #expect(stored.last?.attributes == ["expired": 1])
        #expect(logger.statistics.dropped == [.expired: 1])
    }
}
