import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryLogging

/// What the flight recorder leaves on the disk, and what the next process makes of it.
struct RecorderFilesTests {
    let directory = TemporaryDirectory()

    @Test("Events from before a restart are captured after it, once")
    func restart() async throws {
        let transport = MockTelemetryTransport()
        var names: [String] = []
        for run in 1...3 {
            let bench = await Bench.recording(in: directory, transport: transport)
            bench.logger.logEvent(name: "run \(run)", scenario: "Net")
            names.append("run \(run)")
            if run == 2 { #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 2) }
            if run == 3 { #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 1) }
            await bench.logger.flush()
            await bench.logger.shutdown()
        }
        let stored = try await transport.store.fetchAllEvents()
        #expect(stored.map(\.name) == names)
        #expect(stored.allSatisfy { $0.attributes["telemetry.captured"] == true })
    }

    @Test("Events from before a crash are captured by the next process")
    func crash() async throws {
        let first = await Bench.recording(in: directory)
        for number in 1...100 { first.logger.logEvent(name: "\(number)", scenario: "Net") }
        let next = await Bench.recording(in: try directory.copy())
        next.logger.logEvent(name: "101", scenario: "Net")
        #expect(await next.logger.dumpRecorded("Net", lookback: nil) == 101)
        await next.logger.flush()
        #expect(try await next.storedNames == (1...101).map { "\($0)" })
    }

    @Test("Events of a process that crashes during a capture are stored once, whether it had sent them or not")
    func crashDuringCapture() async throws {
        let transport = MockTelemetryTransport()
        let first = await Bench.recording(in: directory, transport: transport)
        for number in 1...3 { first.logger.logEvent(name: "\(number)", scenario: "Net") }
        // The ring as it was before the events were marked.
        let before = try directory.copy()
        #expect(await first.logger.dumpRecorded("Net", lookback: nil) == 3)
        await first.logger.flush()
        let next = await Bench.recording(in: before, transport: transport)
        #expect(await next.logger.dumpRecorded("Net", lookback: nil) == 3)
        await next.logger.flush()
        #expect(transport.calls(of: .append).count == 2)
        #expect(try await next.storedNames == ["1", "2", "3"])
    }

    @Test("Two running processes do not share a ring; what one leaves is captured by the other")
    func twoProcesses() async throws {
        let first = await Bench.recording(in: directory)
        let second = await Bench.recording(in: directory)
        first.logger.logEvent(name: "first", scenario: "Net")
        second.logger.logEvent(name: "second", scenario: "Net")
        #expect(await second.logger.dumpRecorded("Net", lookback: nil) == 1)
        await first.logger.shutdown()
        #expect(await second.logger.dumpRecorded("Net", lookback: nil) == 1)
        await second.logger.flush()
        #expect(try await second.storedNames == ["second", "first"])
    }

    @Test("Another client's events are removed, and those of a scenario that is no longer recorded")
    func foreign() async throws {
        let first = await Bench.recording(in: directory, scenarios: ["Net", "Files"])
        for scenario in ["Net", "Files"] { first.logger.logEvent(name: "a secret", scenario: scenario) }
        let copy = try directory.copy()
        await first.logger.shutdown()
        let other = await Bench.recording(in: directory, clientId: "another")
        #expect(await other.logger.dumpRecorded("Net", lookback: nil) == 0)
        #expect(try !directory.contains("a secret"))
        let narrowed = await Bench.recording(in: copy, scenarios: ["Files"])
        #expect(copy.recorderNames.filter { $0.hasSuffix(".ring") }.count == 1)
        #expect(await narrowed.logger.dumpRecorded("Files", lookback: nil) == 1)
    }

    @Test("Events that a dead process left are removed when telemetry is off at the start, or they are too old")
    func removedAtStart() async throws {
        let wall = RecorderWall()
        let first = await Bench.recording(in: directory, wall: wall)
        first.logger.logEvent(name: "a secret", scenario: "Net")
        let copy = try directory.copy()
        await first.logger.shutdown()
        let off = Bench(.init(spoolDirectory: directory.url))
        await off.logger.setRecordedScenarios(["Net"], level: .diagnostic)
        await off.logger.activate(enabled: false)
        #expect(try !directory.contains("a secret"))
        wall.seconds += 301
        let late = await Bench.recording(in: copy, wall: wall)
        #expect(try !copy.contains("a secret"))
        #expect(await late.logger.dumpRecorded("Net", lookback: nil) == 0)
    }

    @Test("Files whose events had to be kept in memory are removed with the scenario's events")
    func copied() async throws {
        let first = await Bench.recording(in: directory)
        first.logger.logEvent(name: "a secret", scenario: "Net")
        let copy = try directory.copy()
        let spool = try Spool(directory: copy.url.appending(path: "recorder"))
        let window = RecordedEvents.Window(until: 1e9, maximumAge: 1e10, lookback: nil)
        let adopted = spool.adoptRings(of: TelemetryFixtures.clientId, scenarios: ["Net"], window: window)
        let rings = try #require(adopted.rings["Net"])
        var files = RecorderFiles(configuration: .init(spoolDirectory: copy.url))
        files.settle(rings, of: "Net", isMapped: false)
        files.removeCopied(except: ["Net", "Files"])
        #expect(try copy.contains("a secret"))
        files.removeCopied(except: ["Files"])
        #expect(try !copy.contains("a secret"))
        spool.close()
    }

    @Test("A start during a pause keeps what was recorded before")
    func pausedStart() async throws {
        let first = await Bench.recording(in: directory)
        first.logger.logEvent(name: "before", scenario: "Net")
        await first.logger.shutdown()
        let next = Bench(.init(spoolDirectory: directory.url))
        await next.logger.setRecordedScenarios(["Net"], level: .diagnostic)
        await next.logger.setPaused(true)
        await next.logger.setClientIdentifier(TelemetryFixtures.clientId)
        await next.logger.activate(enabled: true)
        next.logger.logEvent(name: "paused", scenario: "Net")
        await next.logger.setPaused(false)
        #expect(await next.logger.dumpRecorded("Net", lookback: nil) == 1)
    }

    @Test("Files have a fixed size and are readable by their user alone, whatever the scenario's name")
    func files() async throws {
        let names = ["../../outside", "a/b", "\0", ".", String(repeating: "x", count: 1_024), "Café"]
        let bench = await Bench.recording(in: directory, scenarios: Set(names + [String(repeating: "x", count: 1_025)]))
        for name in names { bench.logger.logEvent(name: "event", scenario: name) }
        let rings = directory.recorderNames.filter { $0.hasSuffix(".ring") }
        #expect(rings.count == names.count)
        for ring in rings {
            let file = directory.url.appending(path: "recorder/\(ring)").path
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(attributes[.size] as? Int == (1 << 20) + 4_096)
        }
        for name in names { #expect(await bench.logger.dumpRecorded(name, lookback: nil) == 1) }
        await bench.logger.setEnabled(false)
        #expect(directory.recorderNames == [])
    }

    @Test("A file that is not a ring is set aside and reported; the others are read")
    func corrupt() async throws {
        let first = await Bench.recording(in: directory)
        first.logger.logEvent(name: "event", scenario: "Net")
        let copy = try directory.copy()
        try Data(repeating: 7, count: 8_192).write(to: copy.url.appending(path: "recorder/someone-1.ring"))
        let next = await Bench.recording(in: copy)
        #expect(next.diagnostics.kinds == [.corruptFile])
        #expect(await next.logger.dumpRecorded("Net", lookback: nil) == 1)
        #expect(copy.recorderNames.contains("someone-1.ring.corrupt"))
        await next.logger.setEnabled(false)
        #expect(copy.recorderNames == [])
    }

    @Test("Without a usable directory events are recorded in memory, which is reported once")
    func unusable() async throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        try Data().write(to: directory.url.appending(path: "recorder"))
        let bench = await Bench.recording(in: directory)
        bench.logger.logEvent(name: "event", scenario: "Net")
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 1)
        #expect(bench.diagnostics.kinds == [.storageFailed])
    }
}
