import Foundation
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryLogging

/// Files that a hostile process or a system without resources places or damages.
struct SpoolHostilityTests {
    let directory = TemporaryDirectory()

    var configuration: TelemetryLogger.Configuration { .init(spoolDirectory: directory.url) }

    @Test("Sequences that end at the largest number do not prevent a start")
    func largestSequence() async throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        let memory = SegmentMemory(count: 16 << 10)
        let session = Session(id: "ABC")
        let start = SegmentHeader.write(to: memory, session: session, firstSequence: .max, ordinal: .max)
        var segment = CaptureSegment(memory: memory, session: session, start: start, firstSequence: .max)
        var sequence = UInt64.max
        for name in ["1", "2", "3"] {
            let event = CapturedEvent(
                name: name, scenario: nil, level: .info, property1: nil, attributes: [:],
                secondsSinceReference: TelemetryFixtures.date.timeIntervalSinceReferenceDate, thread: .max)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: event.maximumFrameBytes, alignment: 16)
            defer { buffer.deallocate() }
            let frame = FrameEncoding.encode(event, in: buffer)
            segment.append(frame, sequence: sequence)
            sequence &+= 1
        }
        try Data(memory.withBytes(in: 0..<memory.count) { $0.array }).write(to: directory.url(of: "abc-1.segment"))
        let bench = await Bench.active(configuration)
        bench.logger.logEvent(name: "alive")
        await bench.logger.flush()
        #expect(try await bench.storedNames.contains("alive"))
        #expect(bench.logger.statistics.waiting == 0)
    }

    @Test("Damage to a client's identifier loses only the events after it, which are counted")
    func damagedOwner() async throws {
        let bench = await Bench.offline(configuration)
        bench.logger.logEvent(name: "first")
        await bench.logger.setClientIdentifier("somebody else")
        bench.logger.logEvent(name: "second")
        bench.logger.logEvent(name: "third")
        let copy = try directory.copy()
        let name = try #require(copy.names.first { $0.hasSuffix(".segment") })
        var bytes = try Data(contentsOf: copy.url(of: name))
        let place = try #require(bytes.range(of: Data("somebody".utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: copy.url(of: name))
        let successor = await Bench.active(.init(spoolDirectory: copy.url))
        await successor.logger.flush()
        #expect(try await successor.storedNames == ["first", "telemetry.dropped"])
        #expect(successor.logger.statistics.dropped == [.corrupt: 2])
    }

    @Test("No number is too large for a setting, with files or without")
    func largestSettings() async throws {
        let configuration = TelemetryLogger.Configuration(
            batchSize: .max, flushInterval: .infinity, maxRetries: .max, spoolDirectory: directory.url,
            spool: .init(maximumBytes: .max, maximumAge: .infinity), memoryLimit: .max, maximumNameBytes: .max,
            maximumPropertyBytes: .max, maximumBatchBytes: .max, shutdownDeadline: .infinity)
        let transport = InMemoryTelemetryTransport()
        let logger = TelemetryLogger(configuration: configuration, transport: transport)
        await logger.activate(enabled: true)
        logger.logEvent(name: "first")
        try FileManager.default.removeItem(at: directory.url)
        for number in 2...60_000 { logger.logEvent(name: "\(number)") }
        await logger.flush()
        #expect(try await transport.countEvents(matching: .all) == 60_000)
        await logger.shutdown()
    }

    @Test(
        "A file that temporarily cannot be opened is left for the next start, not set aside",
        arguments: [EMFILE, ENFILE, EIO, EACCES])
    func temporaryFailure(errno: Int32) async throws {
        let bench = await Bench.offline(configuration)
        bench.logger.logEvent(name: "kept")
        let copy = try directory.copy()
        let system = FileSystem { operation, path in operation == .open && path.hasSuffix(".segment") ? errno : nil }
        let starved = try Spool(directory: copy.url, system: system)
        let orphans = starved.adopt(
            clientId: TelemetryFixtures.clientId, maximumAge: 0, now: BootTime(boot: 1, seconds: 1))
        #expect(orphans.segments.isEmpty)
        #expect(orphans.diagnostics.map(\.kind) == [.storageFailed])
        starved.close()
        let next = await Bench.active(.init(spoolDirectory: copy.url))
        await next.logger.flush()
        #expect(try await next.storedNames == ["kept"])
        #expect(next.diagnostics.kinds.isEmpty)
    }
}
