import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import Testing

/// What a shutdown left is the next logger's at once, whoever still has a hand on the old one's files.
struct SpoolHandOverTests {
    let directory = TemporaryDirectory()

    var configuration: TelemetryLogger.Configuration { .init(spoolDirectory: directory.url) }

    /// What the next logger over the directory delivers.
    func delivered() async throws -> [String] {
        let next = await Bench.active(configuration)
        await next.logger.flush()
        let names = try await next.storedNames
        await next.logger.shutdown()
        return names
    }

    #if os(Linux)
    @Test("A child process that is being started while a logger shuts down does not keep its events from the next one")
    func inheritedDescriptor() async throws {
        let bench = await Bench.active(configuration)
        bench.transport.isOffline = true
        bench.logger.logEvent(name: "kept")
        // Between fork and exec a child has every descriptor of its parent, also those that exec will close.
        let inherited = try openFiles().map { dup($0) }
        // Its lock's and that of the segment that it writes to.
        #expect(inherited.count == 2)
        defer { for descriptor in inherited { close(descriptor) } }
        await bench.logger.shutdown()
        #expect(try await delivered() == ["kept"])
        #expect(directory.names.isEmpty)
    }

    /// This process's descriptors of files in the directory.
    private func openFiles() throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            guard let target, target.hasPrefix(directory.url.path) else { return nil }
            return Int32(name)
        }
    }
    #endif

    @Test("An append that outlasts the shutdown does not keep its events from the next logger")
    func stubbornAppend() async throws {
        let stubborn = StubbornTransport()
        let clock = ManualClock()
        let logger = TelemetryLogger(configuration: configuration, transport: stubborn, clock: clock)
        await logger.setClientIdentifier(TelemetryFixtures.clientId)
        await logger.activate(enabled: true)
        logger.logEvent(name: "kept")
        async let flush: Void = logger.flush()
        await stubborn.entered.wait()
        async let shutdown: Void = logger.shutdown()
        await clock.sleepers()
        clock.advance(by: .seconds(5))
        await shutdown
        #expect(try await delivered() == ["kept"])
        stubborn.release()
        await flush
    }
}
