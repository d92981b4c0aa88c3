import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryLogging

/// A spool in a directory in which other users can create files.
struct SpoolSharedDirectoryTests {
    let directory = TemporaryDirectory()

    @Test("A directory that other users can write to is reported", arguments: [0o700, 0o755, 0o775, 0o777, 0o1777])
    func permissions(mode: Int) async throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory.url.path)
        let bench = await Bench.active(.init(spoolDirectory: directory.url))
        bench.logger.logEvent(name: "alive")
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["alive"])
        #expect(bench.diagnostics.kinds == (mode & 0o022 == 0 ? [] : [.storageFailed]))
    }

    @Test("Another user's directory is reported", .enabled(if: geteuid() == 0))
    func owner() async throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        #expect(chown(directory.url.path, 12_345, 12_345) == 0)
        let bench = await Bench.active(.init(spoolDirectory: directory.url))
        #expect(bench.diagnostics.kinds == [.storageFailed])
    }

    @Test("Another user's segment is not sent", .enabled(if: geteuid() == 0))
    func plantedSegment() async throws {
        let bench = await Bench.offline(.init(spoolDirectory: directory.url))
        bench.logger.logEvent(name: "planted")
        let copy = try directory.copy()
        for name in copy.names { #expect(chown(copy.url(of: name).path, 12_345, 12_345) == 0) }
        let next = await Bench.active(.init(spoolDirectory: copy.url))
        next.logger.logEvent(name: "alive")
        await next.logger.flush()
        #expect(try await next.storedNames == ["alive"])
        // The segment, and the session's mark.
        #expect(next.diagnostics.kinds == [.corruptFile, .corruptFile])
    }

    @Test("A named pipe in place of a segment or a lock does not prevent a start")
    func pipes() async throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        for name in ["a-1.segment", "b.lock"] { #expect(mkfifo(directory.url(of: name).path, 0o600) == 0) }
        let bench = await Bench.active(.init(spoolDirectory: directory.url))
        bench.logger.logEvent(name: "alive")
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["alive"])
    }
}
