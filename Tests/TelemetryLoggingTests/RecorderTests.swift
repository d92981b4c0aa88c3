import Foundation
import Synchronization
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

/// What the flight recorder keeps, and what a capture delivers.
@Suite(.timeLimit(.minutes(10)))
struct RecorderTests {
    @Test("Events of a recorded scenario stay on the device until they are captured; then they are delivered in order")
    func capture() async throws {
        let wall = RecorderWall()
        let bench = await Bench.recording(wall: wall)
        for number in 1...3 {
            bench.logger.logEvent(name: "\(number)", scenario: "Net", property1: "text", attributes: ["key": .int(7)])
            wall.seconds += 1
        }
        bench.logger.logEvent(name: "ordinary")
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["ordinary"])
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 3)
        bench.logger.logEvent(name: "after")
        await bench.logger.flush()
        let stored = try await bench.stored
        #expect(stored.map(\.name) == ["ordinary", "1", "2", "3", "after"])
        #expect(stored.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(Set(stored.map(\.sessionId)) == [bench.logger.currentSessionId])
        #expect(Set(stored.map(\.eventId)).count == 5)
        let captured = stored[1...3]
        #expect(captured.map(\.timestamp) == (0..<3).map { TelemetryFixtures.date.addingTimeInterval(Double($0)) })
        #expect(captured.allSatisfy { $0.attributes == ["key": 7, "telemetry.captured": true] && $0.property1 == "text" })
        #expect(captured.allSatisfy { $0.scenario == "Net" && $0.clientId == TelemetryFixtures.clientId })
        #expect(stored[4].attributes.isEmpty)
    }

    @Test("Captured events are delivered at once, not after the flush interval")
    func atOnce() async throws {
        let bench = await Bench.recording()
        bench.logger.logEvent(name: "recorded", scenario: "Net")
        bench.transport.hold(.append)
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 1)
        // The test's clock stands still, so that no interval ends.
        await bench.transport.held(.append)
        bench.transport.release(.append)
        await bench.logger.flush()
        #expect(bench.appends == [["recorded"]])
    }

    @Test("A second capture delivers only what was recorded after the first")
    func twice() async throws {
        let bench = await Bench.recording()
        bench.logger.logEvent(name: "first", scenario: "Net")
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 1)
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 0)
        bench.logger.logEvent(name: "second", scenario: "Net")
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 1)
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["first", "second"])
    }

    @Test("A lookback delivers the events that are not older; a later capture delivers the others")
    func lookback() async throws {
        let wall = RecorderWall()
        let bench = await Bench.recording(wall: wall)
        for number in 1...4 {
            bench.logger.logEvent(name: "\(number)", scenario: "Net")
            wall.seconds += 10
        }
        #expect(await bench.logger.dumpRecorded("Net", lookback: 20) == 2)
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 2)
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["3", "4", "1", "2"])
    }

    @Test("Events beyond the greatest age are not delivered, even if the clock was set back")
    func age() async throws {
        let wall = RecorderWall()
        let bench = await Bench.recording(wall: wall)
        bench.logger.logEvent(name: "old", scenario: "Net")
        wall.seconds += 200
        bench.logger.logEvent(name: "young", scenario: "Net")
        wall.seconds += 150
        #expect(await bench.logger.dumpRecorded("Net", lookback: 10_000) == 1)
        bench.logger.logEvent(name: "future", scenario: "Net")
        wall.seconds -= 1_000
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 0)
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["young"])
    }

    @Test("While the scenario is on its events are delivered and not recorded; when it goes off, they are recorded again")
    func onAndOff() async throws {
        let wall = RecorderWall()
        let bench = await Bench.recording(wall: wall)
        bench.logger.logEvent(name: "off", scenario: "Net", level: .diagnostic)
        let lease = TelemetryFixtures.date.addingTimeInterval(60)
        await bench.logger.updateScenarios(["Net": .init(isEnabled: true, level: .info, expires: lease)])
        bench.logger.logEvent(name: "on", scenario: "Net")
        bench.logger.logEvent(name: "more detailed", scenario: "Net", level: .diagnostic)
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["on"])
        wall.seconds += 60
        bench.logger.logEvent(name: "expired", scenario: "Net")
        await bench.logger.updateScenarios([:])
        bench.logger.logEvent(name: "off again", scenario: "Net")
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 3)
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["on", "off", "expired", "off again"])
    }

    @Test("An event above the level is neither recorded nor captured")
    func level() async throws {
        let bench = await Bench.recording()
        bench.logger.logEvent(name: "detail", scenario: "Net", level: .diagnostic)
        bench.logger.logEvent(name: "info", scenario: "Net")
        await bench.logger.setRecordedScenarios(["Net"], level: .info)
        bench.logger.logEvent(name: "more detail", scenario: "Net", level: .diagnostic)
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 1)
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["info"])
    }

    @Test("Each way to log records, and evaluates its arguments only for recorded scenarios")
    func calls() async throws {
        let bench = await Bench.recording()
        let erased: any TelemetryLogging = bench.logger
        let evaluated = Mutex<[String]>([])
        @Sendable func text(_ scenario: String) -> String {
            evaluated.withLock { $0.append(scenario) }
            return scenario
        }
        for scenario in ["Net", "Other"] {
            bench.logger.logEvent(name: "call", scenario: scenario, property1: text(scenario))
            erased.logEvent(name: "protocol", scenario: scenario, property1: text(scenario))
            bench.logger.scenario(scenario).log("handle", property1: text(scenario))
        }
        #expect(evaluated.withLock(\.self) == ["Net", "Net", "Net"])
        let handles = ["Net", "Other"].map(bench.logger.scenario)
        #expect(handles.map(\.isEnabled) == [true, false])
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 3)
        #expect(await bench.logger.dumpRecorded("Other", lookback: nil) == nil)
    }

    @Test("Nothing is recorded before activation, during a pause, without a client, and while the logger is off")
    func onlyWhileOn() async throws {
        let bench = Bench()
        func log(_ name: String) { bench.logger.logEvent(name: name, scenario: "Net") }
        await bench.logger.setRecordedScenarios(["Net"], level: .diagnostic)
        log("before activation")
        await bench.logger.activate(enabled: true)
        log("without a client")
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == nil)
        await bench.logger.setClientIdentifier(TelemetryFixtures.clientId)
        log("on")
        await bench.logger.setPaused(true)
        log("paused")
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == nil)
        await bench.logger.setPaused(false)
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 1)
        await bench.logger.setEnabled(false)
        log("off")
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == nil)
        await bench.logger.setEnabled(true)
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 0)
    }

    @Test(
        "The recorder is emptied when the logger is turned off, its client or session changes, or the scenario is forbidden",
        arguments: RecorderEnd.allCases)
    func emptied(end: RecorderEnd) async throws {
        let directory = TemporaryDirectory()
        let bench = await Bench.recording(in: directory)
        bench.logger.logEvent(name: "event", scenario: "Net", property1: "a secret")
        #expect(try directory.contains("a secret"))
        await end.perform(on: bench.logger)
        #expect(try !directory.contains("a secret"))
        await bench.logger.setRecordedScenarios(["Net"], level: .diagnostic)
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 0)
    }

    @Test("The host's hook changes or refuses an event before it is recorded")
    func hook() async throws {
        let directory = TemporaryDirectory()
        let bench = await Bench.recording(in: directory) { event in
            let isKept = event.name != "refused"
            event = TelemetryEvent(
                sessionId: event.sessionId, name: event.name, timestamp: event.timestamp, property1: "removed",
                scenario: event.scenario)
            return isKept
        }
        bench.logger.logEvent(name: "changed", scenario: "Net", property1: "a secret")
        bench.logger.logEvent(name: "refused", scenario: "Net")
        #expect(try !directory.contains("a secret"))
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 1)
        await bench.logger.flush()
        #expect(try await bench.stored.map(\.property1) == ["removed"])
    }

    @Test("Threads that record while events are captured lose none and deliver none twice")
    func concurrency() async throws {
        let bench = await Bench.recording()
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<500 { bench.logger.logEvent(name: "\(thread).\(number)", scenario: "Net") }
                }
            }
            group.addTask { for _ in 0..<20 { _ = await bench.logger.dumpRecorded("Net", lookback: nil) } }
        }
        _ = await bench.logger.dumpRecorded("Net", lookback: nil)
        await bench.logger.flush()
        let appended = bench.appends.flatMap(\.self)
        #expect(appended.count == 2_000 && Set(appended).count == 2_000)
    }

    @Test("Captures of a small ring, whose events are replaced meanwhile, deliver none twice and leave it whole")
    func replacement() async throws {
        let bench = await Bench.recording(bounds: .init(maximumBytes: 16 << 10))
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<2_000 { bench.logger.logEvent(name: "\(thread).\(number)", scenario: "Net") }
                }
            }
            group.addTask { for _ in 0..<50 { _ = await bench.logger.dumpRecorded("Net", lookback: nil) } }
        }
        for number in 0..<10 { bench.logger.logEvent(name: "last \(number)", scenario: "Net") }
        _ = await bench.logger.dumpRecorded("Net", lookback: nil)
        await bench.logger.flush()
        let appended = bench.appends.flatMap(\.self)
        #expect(Set(appended).count == appended.count)
        #expect(appended.suffix(10) == (0..<10).map { "last \($0)" })
    }
}
