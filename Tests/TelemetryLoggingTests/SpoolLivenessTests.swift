import Foundation
import Synchronization
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryLogging

#if os(Linux) || os(macOS)
/// Detecting dead owners, and files that another process has mapped.
struct SpoolLivenessTests {
    let directory = TemporaryDirectory()

    @Test("A logger whose lock file was removed keeps logging while another starts with the same directory")
    func missingLock() async throws {
        await #expect(processExitsWith: .success) { [path = directory.url.path as String] in
            let url = URL(filePath: path)
            let first = await Bench.offline(.init(spoolDirectory: url))
            first.logger.logEvent(name: "0")
            for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasSuffix(".lock") {
                try FileManager.default.removeItem(at: url.appending(path: name))
            }
            let second = await Bench.active(.init(spoolDirectory: url))
            for number in 1...5_000 { first.logger.logEvent(name: "\(number)") }
            precondition(second.logger.statistics.recovered == 0)
            // Later events are still in a file: a process that starts after a kill finds them.
            first.transport.isOffline = false
            await second.logger.shutdown()
            await first.logger.flush()
            let names = try await first.storedNames
            precondition(names == (0...5_000).map { "\($0)" })
        }
    }

    @Test("A segment that a process has mapped without a lock is not truncated when it is taken over")
    func mappedWithoutLock() async throws {
        let bench = await Bench.offline(.init(spoolDirectory: directory.url))
        bench.logger.logEvent(name: "event")
        let copy = try directory.copy()
        for name in copy.names where name.hasSuffix(".lock") { try FileManager.default.removeItem(at: copy.url(of: name)) }
        await #expect(processExitsWith: .success) { [path = copy.url.path as String] in
            let url = URL(filePath: path)
            let name = try FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasSuffix(".segment") } ?? ""
            let descriptor = open(url.appending(path: name).path, O_RDWR)
            let size = Int(lseek(descriptor, 0, SEEK_END))
            let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
            close(descriptor)
            let next = await Bench.active(.init(spoolDirectory: url))
            mapped?.storeBytes(of: 1, toByteOffset: size - 1, as: UInt8.self)
            await next.logger.flush()
            let names = try await next.storedNames
            precondition(names == ["event", "telemetry.session"], "\(names)")
        }
    }

    @Test("A logger with many sealed segments is detected as running by the segment that it writes to")
    func manySegments() async throws {
        var configuration = TelemetryLogger.Configuration(spoolDirectory: directory.url)
        configuration.memoryLimit = 128 << 10
        let first = await Bench.offline(configuration)
        for number in 1...5_000 { first.logger.logEvent(name: "\(number)") }
        #if os(Linux)
        #expect(try openFiles(in: directory).count <= 4)
        #endif
        for name in directory.names where name.hasSuffix(".lock") {
            try FileManager.default.removeItem(at: directory.url(of: name))
        }
        let second = await Bench.active(configuration)
        #expect(second.logger.statistics.recovered == 0)
        // Delivered segments are used again, and locked again.
        first.transport.isOffline = false
        await first.logger.flush()
        for number in 1...5_000 { first.logger.logEvent(name: "again \(number)") }
        await first.logger.flush()
        #expect(try await first.stored.map(\.sequence) == Array(1...10_000))
    }

    #if os(Linux)
    @Test("Thousands of dead owners need no more descriptors than one")
    func descriptors() async throws {
        try await fill(directory, owners: 300)
        let most = Mutex(0)
        let spool = try Spool(
            directory: directory.url,
            system: FileSystem { [directory] _, _ in
                let open = (try? openFiles(in: directory).count) ?? .max
                most.withLock { $0 = max($0, open) }
                return nil
            })
        let orphans = spool.adopt(
            clientId: TelemetryFixtures.clientId, maximumAge: 0, now: BootTime(boot: 1, seconds: 1))
        #expect(orphans.segments.count == 300)
        #expect(orphans.diagnostics.isEmpty)
        // The spool's own lock, the dead owner's, a segment, and the copy of it.
        #expect((2...4).contains(most.withLock { $0 }))
        spool.lock.abandon()
        let next = await Bench.active(.init(spoolDirectory: directory.url, spool: .init(maximumBytes: 1 << 30)))
        #expect(next.logger.statistics.recovered == 300)
        await next.logger.flush()
        #expect(try await next.stored.count == 300)
        #expect(next.diagnostics.kinds.isEmpty)
    }

    @Test("Segments of many dead owners use no more disk space than their events need")
    func blocks() async throws {
        try await fill(directory, owners: 20)
        let bench = await Bench.active(.init(spoolDirectory: directory.url))
        #expect(bench.logger.statistics.recovered == 20)
        let blocks = try directory.names.reduce(0) { sum, name in
            var information = stat()
            try #require(stat(directory.url(of: name).path, &information) == 0)
            return sum + Int(information.st_blocks) * 512
        }
        #expect(blocks < 1 << 20)
    }

    /// Leaves one event each of a number of sessions whose processes have ended.
    private func fill(_ directory: TemporaryDirectory, owners: Int) async throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        for owner in 1...owners {
            let other = TemporaryDirectory()
            let bench = await Bench.offline(.init(spoolDirectory: other.url))
            bench.logger.logEvent(name: "\(owner)")
            await bench.logger.shutdown()
            for name in other.names {
                try FileManager.default.moveItem(at: other.url(of: name), to: directory.url(of: name))
            }
        }
    }

    /// This process's descriptors of files in a directory.
    private func openFiles(in directory: TemporaryDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target.flatMap { $0.hasPrefix(directory.url.path) ? $0 : nil }
        }
    }
    #endif
}
#endif
