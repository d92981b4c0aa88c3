import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// What a spool keeps where there is no room, and for how long.
struct SpoolBoundTests {
    let directory = TemporaryDirectory()

    var configuration: TelemetryLogger.Configuration { .init(spoolDirectory: directory.url) }

    @Test("Where no file can be had the logger works from memory, and says so once")
    func noDirectory() async throws {
        try Data().write(to: directory.url)
        let bench = await Bench.active(configuration)
        for number in 1...100 { bench.logger.logEvent(name: "\(number)") }
        await bench.logger.flush()
        #expect(try await bench.stored.count == 100)
        #expect(bench.diagnostics.kinds == [.storageFailed])
    }

    @Test("A file has all its blocks before anything is written to it: a full disk cannot reach whoever logs")
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
        "Many short runs without a connection lose nothing, whether they ended in order or were killed",
        arguments: [false, true])
    func shortRuns(isKilled: Bool) async throws {
        var directory = directory
        for run in 1...50 {
            let bench = await Bench.active(.init(spoolDirectory: directory.url))
            bench.transport.isOffline = true
            bench.logger.logEvent(name: "run \(run)")
            if isKilled { directory = try directory.copy() } else { await bench.logger.shutdown() }
        }
        let bench = await Bench.active(.init(spoolDirectory: directory.url))
        await bench.logger.flush()
        #expect(try await Set(bench.storedNames) == Set((1...50).map { "run \($0)" }))
        #expect(bench.logger.statistics.dropped.isEmpty)
    }

    @Test("A directory that goes while the logger runs costs nothing that is kept already, and is told")
    func directoryGoes() async throws {
        let bench = await Bench.active(configuration)
        bench.transport.isOffline = true
        bench.logger.logEvent(name: "before")
        try FileManager.default.removeItem(at: directory.url)
        for number in 1...20_000 { bench.logger.logEvent(name: "event \(number)") }
        bench.transport.isOffline = false
        await bench.logger.flush()
        #expect(try await bench.stored.map(\.sequence) == Array(1...20_001))
        #expect(bench.diagnostics.kinds.contains(.storageFailed))
    }

    @Test("Where no more files can be had, what is in files stays, and memory takes as much as without a spool on top")
    func filesStay() async throws {
        var configuration = configuration
        configuration.spool.maximumBytes = 1 << 20
        configuration.memoryLimit = 128 << 10
        let bench = await Bench.active(configuration)
        bench.transport.isOffline = true
        let property = String(repeating: "p", count: 80)
        for number in 1...5_000 { bench.logger.logEvent(name: "event \(number)", property1: property) }
        // Files that are made already go on taking events; new ones cannot be made.
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

    @Test("Beyond the bound the oldest go, counted and told in the stream; the files stay within the bound")
    func bound() async throws {
        var configuration = configuration
        configuration.spool.maximumBytes = 256 << 10
        let bench = await Bench.active(configuration)
        bench.transport.isOffline = true
        for number in 1...10_000 { bench.logger.logEvent(name: "event \(number)", property1: String(repeating: "x", count: 50)) }
        let sizes = try directory.names.map {
            try FileManager.default.attributesOfItem(atPath: directory.url(of: $0).path)[.size] as? Int ?? 0
        }
        // One more than the bound may lie ready.
        #expect(sizes.reduce(0, +) <= 256 << 10 + 32 << 10)
        bench.transport.isOffline = false
        await bench.logger.flush()
        let stored = try await bench.stored
        let lost = try #require(bench.logger.statistics.dropped[.full])
        #expect(stored.dropLast().map(\.sequence) == Array((lost + 1)...10_000))
        #expect(stored.last?.name == "telemetry.dropped")
        #expect(stored.last?.attributes == ["full": .int(Int64(lost))])
        #expect(lost < 10_000 && lost > 5_000)
    }

    @Test("What waits for longer than the bound is not sent, counted and told", arguments: [false, true])
    func age(isRestarted: Bool) async throws {
        let bench = await Bench.active(configuration)
        bench.transport.isOffline = true
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
