import Foundation
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

@testable import TelemetryLogging

/// How long pseudonyms stay the same.
struct PseudonymTests {
    let directory = TemporaryDirectory()
    private static let secret = "pseudonyms.secret"

    private func bench(in directory: URL?, active: Bool = true) async -> Bench {
        let configuration = TelemetryLogger.Configuration(spoolDirectory: directory, redaction: .init(otherAttributes: .hash))
        return active ? await Bench.active(configuration) : Bench(configuration)
    }

    private func log(_ bench: Bench) {
        bench.logger.logEvent(name: "event", scenario: nil, level: .info, property1: nil, attributes: ["user": 4711])
    }

    /// The different pseudonyms of the same value in what was stored.
    private func pseudonyms(_ bench: Bench) async throws -> Set<String> {
        await bench.logger.flush()
        return Set(try await bench.stored.compactMap { $0.attributes["user"]?.stringValue })
    }

    @Test("They are the same after a restart and in events from before activation")
    func restart() async throws {
        var seen: Set<String> = []
        for _ in 1...3 {
            let bench = await bench(in: directory.url, active: false)
            log(bench)
            await bench.logger.activate(enabled: true)
            log(bench)
            seen.formUnion(try await pseudonyms(bench))
            await bench.logger.shutdown()
        }
        #expect(seen.count == 1)
        #expect(try directory.permissions(of: Self.secret) == 0o600)
    }

    @Test("They are the same in two loggers that share the directory, whichever starts first")
    func shared() async throws {
        let (first, second) = (await bench(in: directory.url, active: false), await bench(in: directory.url, active: false))
        await first.logger.activate(enabled: true)
        await second.logger.activate(enabled: true)
        log(first)
        log(second)
        #expect(try await pseudonyms(first).union(try await pseudonyms(second)).count == 1)
    }

    @Test("A logger that has made pseudonyms of its own takes the stored secret once it is on")
    func adopts() async throws {
        let held = await bench(in: directory.url, active: false)
        log(held)
        let first = await bench(in: directory.url)
        log(first)
        await held.logger.activate(enabled: true)
        log(held)
        let (one, both) = (try await pseudonyms(first), try await pseudonyms(held))
        #expect(one.count == 1 && both.count == 2 && both.isSuperset(of: one))
    }

    @Test("They change when telemetry is turned off, or the session is ended", arguments: [true, false])
    func ends(bySession: Bool) async throws {
        let bench = await bench(in: directory.url)
        log(bench)
        let before = try await pseudonyms(bench)
        if bySession {
            _ = await bench.logger.renewSession()
        } else {
            await bench.logger.setEnabled(false)
            #expect(!directory.names.contains(Self.secret))
            await bench.logger.setEnabled(true)
        }
        log(bench)
        #expect(try await pseudonyms(bench).subtracting(before).count == 1)
    }

    @Test("Without a spool directory, each logger has its own, and none is stored")
    func memory() async throws {
        let (first, second) = (await bench(in: nil), await bench(in: nil))
        log(first)
        log(second)
        #expect(try await pseudonyms(first) != pseudonyms(second))
    }

    @Test("Without an opt-in, or without a treatment that needs it, no secret is stored")
    func notStored() async throws {
        let held = await bench(in: directory.url, active: false)
        log(held)
        await held.logger.activate(enabled: false)
        #expect(directory.names.isEmpty)
        let other = await Bench.active(.init(spoolDirectory: directory.url, redaction: .init(otherAttributes: .remove)))
        log(other)
        #expect(!directory.names.contains(Self.secret))
    }

    @Test("A file that is not a secret is replaced", arguments: [0, 31, 33, 5_000])
    func damaged(count: Int) async throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        try Data(count: count).write(to: directory.url(of: Self.secret))
        let first = await bench(in: directory.url)
        log(first)
        let second = await bench(in: directory.url)
        log(second)
        #expect(try await pseudonyms(first) == pseudonyms(second))
        #expect(try Data(contentsOf: directory.url(of: Self.secret)).count == 32)
        #expect(first.diagnostics.kinds.isEmpty)
    }

    @Test("If the secret cannot be stored, this is reported, and events have pseudonyms all the same")
    func notStorable() async throws {
        // A directory cannot be replaced by a file.
        try FileManager.default.createDirectory(at: directory.url(of: Self.secret), withIntermediateDirectories: true)
        let bench = await bench(in: directory.url)
        log(bench)
        log(bench)
        #expect(bench.diagnostics.kinds == [.storageFailed])
        #expect(try await pseudonyms(bench).count == 1)
    }

    @Test("What a process left that was killed while it stored the secret is removed with it")
    func killed() async throws {
        let bench = await bench(in: directory.url)
        try FileManager.default.linkItem(at: directory.url(of: Self.secret), to: directory.url(of: "-0123456789abcdef"))
        await bench.logger.setEnabled(false)
        #expect(directory.names.isEmpty)
    }

    @Test("A secret that cannot be read now is not replaced")
    func unreadable() throws {
        let first = Pseudonyms(directory: directory.url)
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        try first.store()
        let failing = FileSystem(fault: { operation, path in operation == .open && path.hasSuffix(Self.secret) ? EIO : nil })
        #expect(throws: FileError.self) { try Pseudonyms(directory: directory.url, system: failing).store() }
        #expect(Pseudonyms(directory: directory.url).pseudonym(of: "4711") == first.pseudonym(of: "4711"))
    }

    @Test("With a full disk, no part of a secret is left")
    func fullDisk() throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        let full = FileSystem(fault: { operation, _ in operation == .write ? ENOSPC : nil })
        #expect(throws: FileError.self) { try Pseudonyms(directory: directory.url, system: full).store() }
        #expect(directory.names.isEmpty)
    }
}
