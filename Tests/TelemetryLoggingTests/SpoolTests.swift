import Foundation
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct SpoolTests {
    let directory = TemporaryDirectory()

    var configuration: TelemetryLogger.Configuration { .init(spoolDirectory: directory.url) }

    /// A bench with a copy of the directory, as after a kill.
    func restarted(in directory: TemporaryDirectory, _ change: (inout TelemetryLogger.Configuration) -> Void = { _ in }) async
        -> Bench
    {
        var configuration = TelemetryLogger.Configuration(spoolDirectory: directory.url)
        change(&configuration)
        return await Bench.active(configuration)
    }

    @Test("Without an opt-in a host has no file, no directory, no sleeping task and no call of the transport")
    func neverOptedIn() async {
        let bench = Bench(configuration)
        bench.logger.logEvent(name: "held")
        await bench.logger.updateScenarioStates(["Scenario": true])
        #expect(directory.names.isEmpty)
        await bench.logger.activate(enabled: false)
        #expect(!FileManager.default.fileExists(atPath: directory.url.path))
        #expect(bench.clock.sleeperCount == 0)
        #expect(bench.transport.calls.isEmpty)
    }

    @Test(
        "Events are in the file when logEvent returns: a copy of the directory delivers them, with their own session")
    func survives() async throws {
        let bench = await Bench.offline(configuration)
        await bench.logger.updateScenarioStates(["Netz": true])
        bench.logger.logEvent(name: "plain")
        bench.logger.logEvent(
            name: "rich", scenario: "Netz", level: .diagnostic, property1: "Eigenschaft – ok",
            attributes: ["text": "x", "int": 7, "double": 1.5, "bool": true, "date": .date(TelemetryFixtures.date)])
        let copy = try directory.copy()
        let successor = await restarted(in: copy)
        successor.logger.logEvent(name: "new")
        await successor.logger.flush()
        let stored = try await successor.stored
        #expect(stored.map(\.name) == ["plain", "rich", "new"])
        let session = bench.logger.currentSessionId
        #expect(stored.map(\.sessionId) == [session, session, successor.logger.currentSessionId])
        #expect(stored.map(\.eventId) == ["\(session)-1", "\(session)-2", "\(successor.logger.currentSessionId)-1"])
        #expect(stored.allSatisfy { $0.clientId == TelemetryFixtures.clientId && $0.device == .current })
        #expect(
            stored[1].attributes == ["text": "x", "int": 7, "double": 1.5, "bool": true, "date": .date(TelemetryFixtures.date)])
        #expect(stored[1].scenario == "Netz" && stored[1].level == .diagnostic && stored[1].property1 == "Eigenschaft – ok")
        #expect(
            stored[1].timestamp == TelemetryFixtures.date && stored[1].threadId == stored[2].threadId || stored[1].threadId != "")
        #expect(successor.logger.statistics.recovered == 2)
        #expect(successor.logger.statistics.delivered == 3)
    }

    @Test("Directories and files are accessible only to their user")
    func permissions() async throws {
        let bench = await Bench.active(configuration)
        bench.logger.logEvent(name: "event")
        #expect(try directory.permissions() == 0o700)
        #expect(!directory.names.isEmpty)
        for name in directory.names { #expect(try directory.permissions(of: name) == 0o600) }
    }

    @Test("Events held before activation are in the file after it, and in none before")
    func heldEventsMove() async throws {
        let bench = Bench(configuration)
        for number in 1...12_000 { bench.logger.logEvent(name: "event \(number)", property1: String(repeating: "p", count: 50)) }
        #expect(directory.names.isEmpty)
        await bench.logger.setClientIdentifier(TelemetryFixtures.clientId)
        bench.transport.isOffline = true
        await bench.logger.activate(enabled: true)
        let copy = try directory.copy()
        let successor = await restarted(in: copy)
        await successor.logger.flush()
        let stored = try await successor.stored
        #expect(stored.map(\.sequence) == Array(1...12_000))
        #expect(stored.allSatisfy { $0.clientId == TelemetryFixtures.clientId })
    }

    @Test("Delivered events are not recovered")
    func deliveredIsGone() async throws {
        let bench = await Bench.active(configuration)
        for number in 1...50 { bench.logger.logEvent(name: "\(number)") }
        await bench.logger.flush()
        bench.transport.isOffline = true
        bench.logger.logEvent(name: "waiting")
        let successor = await restarted(in: try directory.copy())
        await successor.logger.flush()
        #expect(try await successor.stored.map(\.sequence) == [51])
    }

    @Test("Turning off deletes all files: this session's, a dead session's, and those that were set aside")
    func turningOffDeletes() async throws {
        let bench = await Bench.offline(configuration)
        for number in 1...20_000 { bench.logger.logEvent(name: "event \(number)") }
        let copy = try directory.copy()
        try Data("nonsense".utf8).write(to: copy.url(of: "x-1.segment"))
        let successor = await Bench.offline(.init(spoolDirectory: copy.url))
        successor.logger.logEvent(name: "waiting")
        #expect(copy.names.contains { $0.hasSuffix(".corrupt") })
        await successor.logger.setEnabled(false)
        #expect(copy.names.isEmpty)
        #expect(successor.logger.statistics.dropped[.disabled] == 20_001)
        await bench.logger.setEnabled(false)
        #expect(directory.names.isEmpty)
    }

    @Test("Activating disabled deletes a dead session's files, unread and unsent")
    func activatingDisabledPurges() async throws {
        let bench = await Bench.offline(configuration)
        bench.logger.logEvent(name: "event")
        let copy = try directory.copy()
        let successor = Bench(.init(spoolDirectory: copy.url))
        await successor.logger.activate(enabled: false)
        #expect(copy.names.isEmpty)
        #expect(successor.transport.calls.isEmpty)
    }

    @Test("Loggers that share a directory do not take each other's events while they run")
    func shared() async throws {
        let first = await Bench.offline(configuration)
        first.logger.logEvent(name: "first's")
        let second = await Bench.active(configuration)
        second.logger.logEvent(name: "second's")
        await second.logger.flush()
        #expect(try await second.storedNames == ["second's"])
        await second.logger.setEnabled(false)
        first.transport.isOffline = false
        await first.logger.flush()
        #expect(try await first.storedNames == ["first's"])
    }

    @Test(
        "Events that a shutdown could not deliver wait for the next logger, or for the next activation",
        arguments: [true, false])
    func shutdownKeeps(isSameLogger: Bool) async throws {
        let bench = await Bench.active(configuration)
        let session = bench.logger.currentSessionId
        bench.transport.isOffline = true
        bench.logger.logEvent(name: "kept")
        await bench.logger.shutdown()
        #expect(bench.logger.statistics.waiting == 1)
        bench.transport.isOffline = false
        let next = isSameLogger ? bench : await restarted(in: directory)
        if isSameLogger { await bench.logger.activate(enabled: true) }
        await next.logger.flush()
        #expect(try await next.stored.map(\.sessionId) == [session])
        #expect(next.logger.statistics.waiting == 0)
        await next.logger.shutdown()
        #expect(directory.names.isEmpty)
    }

    @Test("A truncated end is cut and counted; the events before it are delivered", arguments: [1, 5, 9, 13, 30, 60])
    func tornTail(missing: Int) async throws {
        let bench = await Bench.offline(configuration)
        for number in 1...3 { bench.logger.logEvent(name: "event \(number)", property1: String(repeating: "x", count: 40)) }
        let copy = try directory.copy()
        let name = try #require(copy.names.first { $0.hasSuffix(".segment") })
        var bytes = try Data(contentsOf: copy.url(of: name))
        let end = try #require(bytes.lastIndex { $0 != 0 })
        for index in (end - missing + 1)...end { bytes[index] = 0 }
        try bytes.write(to: copy.url(of: name))
        let successor = await restarted(in: copy)
        await successor.logger.flush()
        #expect(try await successor.storedNames == ["event 1", "event 2", "telemetry.dropped"])
        #expect(successor.logger.statistics.dropped == [.corrupt: 1])
        #expect(successor.diagnostics.kinds.contains(.tornTail))
    }

    @Test("A damaged event cuts the events after it: no wrong event is ever delivered", arguments: 0..<40)
    func damage(step: Int) async throws {
        let bench = await Bench.offline(configuration)
        for number in 1...5 { bench.logger.logEvent(name: "event \(number)", property1: "property") }
        let good = try await { () async throws -> [TelemetryEvent] in
            let successor = await restarted(in: try directory.copy())
            await successor.logger.flush()
            return try await successor.stored
        }()
        #expect(good.count == 5)
        let copy = try directory.copy()
        let name = try #require(copy.names.first { $0.hasSuffix(".segment") })
        var bytes = try Data(contentsOf: copy.url(of: name))
        let end = try #require(bytes.lastIndex { $0 != 0 })
        bytes[end * step / 40] ^= 0x41
        try bytes.write(to: copy.url(of: name))
        let successor = await restarted(in: copy)
        successor.logger.logEvent(name: "alive")
        await successor.logger.flush()
        let stored = try await successor.stored.filter { $0.sessionId == good[0].sessionId }
        #expect(good.starts(with: stored))
        #expect(try await successor.storedNames.contains("alive"))
    }

    @Test(
        "A file that is not a segment is set aside and reported, whatever its contents",
        arguments: ["", "x", "nonsense\n", String(repeating: "LTSPOOL2", count: 900)])
    func nonsense(text: String) async throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: directory.url(of: "abc-1.segment"))
        let bench = await Bench.active(configuration)
        bench.logger.logEvent(name: "alive")
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["alive"])
        #expect(directory.names.contains("abc-1.segment.corrupt") == !text.isEmpty)
        #expect(bench.diagnostics.kinds == (text.isEmpty ? [] : [.corruptFile]))
    }

    @Test("A directory named like a segment, a symbolic link, and a directory in place of a lock have no effect")
    func oddities() async throws {
        let manager = FileManager.default
        try manager.createDirectory(at: directory.url(of: "abc-1.segment"), withIntermediateDirectories: true)
        try manager.createDirectory(at: directory.url(of: "dir.lock"), withIntermediateDirectories: true)
        try manager.createSymbolicLink(at: directory.url(of: "link-1.segment"), withDestinationURL: URL(filePath: "/etc/passwd"))
        try manager.createSymbolicLink(at: directory.url(of: "link.lock"), withDestinationURL: URL(filePath: "/etc/passwd"))
        let bench = await Bench.active(configuration)
        bench.logger.logEvent(name: "alive")
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["alive"])
    }
}
