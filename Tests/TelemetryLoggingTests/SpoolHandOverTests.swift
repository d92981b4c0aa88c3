import Foundation
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

/// After a shutdown the next logger gets the files at once, even if the old one's descriptors are still open.
struct SpoolHandOverTests {
    let directory = TemporaryDirectory()

    var configuration: TelemetryLogger.Configuration { .init(spoolDirectory: directory.url) }

    /// The events that the next logger with the directory delivers.
    func delivered() async throws -> [String] {
        let next = await Bench.active(configuration)
        await next.logger.flush()
        let names = try await next.storedNames
        await next.logger.shutdown()
        return names
    }

    #if os(Linux)
    @Test("A child process that inherits a logger's descriptors does not keep its events from the next logger")
    func inheritedDescriptor() async throws {
        let bench = await Bench.offline(configuration)
        bench.logger.logEvent(name: "kept")
        // Between fork and exec a child has all descriptors of its parent, including those that exec closes.
        let inherited = try openFiles().map { dup($0) }
        // The descriptors of the lock, the current segment and the session's mark.
        #expect(inherited.count == 3)
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

    @Test("An append that lasts longer than the shutdown does not keep its events from the next logger")
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
