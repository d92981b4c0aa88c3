import Foundation
import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

@testable import TelemetryLogging

/// What triggers read, and when they demand an action. The wall clock is set by the test; the logger's clock stands still.
@Suite(.timeLimit(.minutes(10)))
struct TriggerTests {
    private let wall = RecorderWall()

    private func trigger(
        _ when: String, count: Int = 1, within: TimeInterval = 60, action: TelemetryTrigger.Action = .capture(lookback: nil),
        limit: Int = 1, per: TimeInterval = 3600, scenario: String = "Net"
    ) throws -> EventTrigger {
        EventTrigger(
            ruleId: when, scenario: scenario,
            trigger: TelemetryTrigger(
                when: try TelemetryQuery(when), count: count, within: within, action: action, limit: limit, per: per))
    }

    /// A bench that keeps the events of "Net" and records those of "On".
    private func bench() async -> Bench {
        let bench = await Bench.recording(wall: wall)
        await bench.logger.updateScenarios(["On": .init(isEnabled: true)])
        return bench
    }

    /// A bench whose delivery waits for the transport, so that only the watch reads. It kept an event before its trigger was set.
    private func delivering() async throws -> (Bench, AsyncStream<TriggerFiring>, flush: Task<Void, Never>) {
        let bench = await bench()
        bench.transport.hold(.append)
        bench.logger.logEvent(name: "kept", scenario: "Net")
        bench.logger.logEvent(name: "earlier", scenario: "On")
        let flush = Task { await bench.logger.flush() }
        await bench.transport.held(.append)
        let (stream, continuation) = AsyncStream.makeStream(of: TriggerFiring.self)
        await bench.logger.setTriggers([try trigger("name:=boom")]) { continuation.yield($0) }
        return (bench, stream, flush)
    }

    /// What the triggers demanded, after all events have been read.
    private func demands(
        of triggers: [EventTrigger], _ log: (TelemetryLogger) async -> Void
    ) async -> [String: [Int]] {
        let bench = await bench()
        let found = Mutex<[String: [Int]]>([:])
        await bench.logger.setTriggers(triggers) { firing in
            found.withLock { $0[firing.trigger.ruleId, default: []].append(firing.events) }
        }
        await log(bench.logger)
        // Replacing the triggers reads what is left.
        await bench.logger.setTriggers([]) { _ in }
        return found.withLock(\.self)
    }

    @Test("A kept event and a recorded one are each seen at once, while the transport does not respond and no interval ends")
    func atOnce() async throws {
        for scenario in ["Net", "On"] {
            let (bench, stream, flush) = try await delivering()
            bench.logger.logEvent(name: "boom", scenario: scenario)
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next()?.events == 1)
            bench.transport.release(.append)
            await flush.value
        }
    }

    @Test("Events that were logged before a trigger was set, and after it is gone, are not read")
    func period() async throws {
        let watched = try trigger("name:=boom", limit: 100)
        let bench = await Bench.recording(wall: wall)
        bench.logger.logEvent(name: "boom", scenario: "Net")
        bench.logger.logEvent(name: "boom")
        let found = Mutex(0)
        let count: @Sendable (TriggerFiring) -> Void = { _ in found.withLock { $0 += 1 } }
        await bench.logger.setTriggers([watched], onFiring: count)
        bench.logger.logEvent(name: "boom", scenario: "Net")
        await bench.logger.setTriggers([], onFiring: count)
        bench.logger.logEvent(name: "boom", scenario: "Net")
        await bench.logger.setTriggers([watched], onFiring: count)
        await bench.logger.setTriggers([], onFiring: count)
        #expect(found.withLock(\.self) == 1)
    }

    @Test("So many events within a period demand an action, and so many actions are allowed in another")
    func counts() async throws {
        let triggers = [
            try trigger("name:=boom", count: 3, within: 10, limit: 2, per: 100), try trigger("name:boom", limit: 10_000),
        ]
        let demands = await demands(of: triggers) { logger in
            // The third is too late for the first two.
            for pause in [0.0, 5, 11, 4, 4, 0, 1, 1, 0, 0, 0, 98, 1, 1] {
                wall.seconds += pause
                logger.logEvent(name: "boom", scenario: "Net")
            }
        }
        // At 24, 26 and 126: the one between is held back.
        #expect(demands["name:=boom"] == [3, 3, 3])
        #expect(demands["name:boom"]?.count == 14)
    }

    @Test("A clock that was set back neither holds a trigger back nor fills its window")
    func clockSetBack() async throws {
        let demands = await demands(of: [try trigger("name:=boom", count: 2, within: 10, limit: 2, per: 100)]) { logger in
            for date in [1_000_000.0, 0, 1] {
                wall.seconds = date
                logger.logEvent(name: "boom")
            }
        }
        #expect(demands == ["name:=boom": [2]])
    }

    @Test("The library's events, captured events and those of the scenario that a trigger turned on demand nothing")
    func ownEvents() async throws {
        let all = try trigger("*", limit: 100)
        let enabling = try trigger("name:=boom", action: .enable(lease: 60), limit: 100, scenario: "On")
        let bench = await bench()
        let found = Mutex<[TelemetryTrigger.Action]>([])
        let note: @Sendable (TriggerFiring) -> Void = { firing in found.withLock { $0.append(firing.trigger.trigger.action) } }
        bench.logger.logEvent(name: "kept", scenario: "Net")
        await bench.logger.setTriggers([all], onFiring: note)
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 1)
        await bench.logger.reportAction(TriggerFiring(trigger: all, events: 1, clientId: nil), captured: 1)
        bench.logger.logEvent(name: "telemetry.mine")
        await bench.logger.flush()
        #expect(found.withLock(\.self) == [])
        #expect(try await bench.storedNames == ["kept", "telemetry.trigger", "telemetry.mine"])
        await bench.logger.setTriggers([enabling], onFiring: note)
        for pause in [0.0, 59, 1] {
            wall.seconds += pause
            bench.logger.logEvent(name: "boom", scenario: "On")
        }
        bench.logger.logEvent(name: "boom", scenario: "Net")
        await bench.logger.flush()
        // The first, the third after the lease, and the one of another scenario.
        #expect(found.withLock(\.count) == 3)
    }

    @Test("After a capture, the next event is seen at once, even while the transport does not respond")
    func afterCapture() async throws {
        let (bench, stream, flush) = try await delivering()
        #expect(await bench.logger.dumpRecorded("Net", lookback: nil) == 1)
        // The watch has read the captured event, and sleeps.
        await bench.clock.sleepers(atLeast: 1)
        bench.clock.advance(by: TriggerWatch.rest)
        bench.logger.logEvent(name: "boom", scenario: "Net")
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next()?.events == 1)
        bench.transport.release(.append)
        await flush.value
    }

    @Test("A trigger that stays while others change keeps what it has counted")
    func replaced() async throws {
        let bench = await bench()
        await bench.logger.setTriggers([try trigger("name:=boom", count: 2)]) { _ in }
        bench.logger.logEvent(name: "boom", scenario: "Net")
        await bench.logger.setTriggers([try trigger("name:=boom", count: 2), try trigger("name:=other")]) { _ in }
        let found = Mutex(0)
        await bench.logger.setTriggers([try trigger("name:=boom", count: 2)]) { _ in found.withLock { $0 += 1 } }
        bench.logger.logEvent(name: "boom", scenario: "Net")
        await bench.logger.flush()
        await bench.logger.setTriggers([]) { _ in }
        #expect(found.withLock(\.self) == 1)
    }

    @Test("The report of an action states what was counted and sent")
    func report() async throws {
        let bench = await Bench.recording(wall: wall)
        let watched = try trigger("name:=boom")
        await bench.logger.reportAction(TriggerFiring(trigger: watched, events: 3, clientId: nil), captured: 12)
        await bench.logger.reportAction(TriggerFiring(trigger: watched, events: 4, clientId: nil), captured: nil)
        await bench.logger.flush()
        let stored = try await bench.stored
        #expect(stored.map(\.scenario) == [nil, nil] && stored.map(\.level) == [.info, .info])
        #expect(
            stored.map(\.attributes) == [
                ["rule": "name:=boom", "scenario": "Net", "action": "capture", "events": 3, "captured": 12],
                ["rule": "name:=boom", "scenario": "Net", "action": "enable", "events": 4],
            ])
    }

    @Test("Each event is read exactly once, however readings, deliveries, rings and sessions alternate")
    func everyEventOnce() async throws {
        let comment: Comment = "TELEMETRY_SEED=\(randomSeed)"
        var random = SeededGenerator()
        for _ in 0..<20 {
            let wall = RecorderWall()
            let bench = await Bench.recording(wall: wall, bounds: .init(maximumBytes: 64 << 10))
            await bench.logger.updateScenarios(["On": .init(isEnabled: true)])
            let found = Mutex(0)
            let watched = try trigger("name:=boom", within: 0.1, limit: 10_000, per: 0.1)
            await bench.logger.setTriggers([watched]) { _ in found.withLock { $0 += 1 } }
            var logged = 0
            for _ in 0..<300 {
                wall.seconds += 1
                let text = String(repeating: "x", count: Int.random(in: 0...900, using: &random))
                switch Int.random(in: 0..<12, using: &random) {
                case 0: await bench.logger.flush()
                case 1: _ = await bench.logger.dumpRecorded("Net", lookback: nil)
                case 2:
                    // The end of a session discards what was not read.
                    await bench.logger.setTriggers([watched, try trigger("name:=other")]) { _ in found.withLock { $0 += 1 } }
                    _ = await bench.logger.renewSession()
                case let number:
                    logged += 1
                    bench.logger.logEvent(name: "boom", scenario: number % 2 == 0 ? "Net" : "On", property1: text)
                }
            }
            await bench.logger.setTriggers([]) { _ in }
            #expect(found.withLock(\.self) == logged, comment)
            await bench.logger.shutdown()
        }
    }

    @Test("A trigger matches the events that its query matches")
    func agreesWithQueries() async throws {
        let queries = [
            "severity:>=error", "severity:=debug", "level:diagnostic", "scenario:=On", "-scenario:*", "name:=boom", "name:bo*",
            "card declined",
            "\"card declined\"", "~\"decl.n\"", "amount:>100", "amount:=100", "-user:*", "user:=4711 or severity:=critical",
            "time:>=2001-01-01", "sequence:>2", "id:*", "thread:*", "device:*", "app:*", "client:*", "text:declined", "*", "Über",
            "attributes.level:=fatal",
            "", "session:*", "not (name:=boom severity:>info)",
        ]
        let triggers = try queries.map { try trigger($0, within: 0.1, limit: 10_000, per: 0.1) }
        let bench = await bench()
        let found = Mutex<[String: Int]>([:])
        await bench.logger.setTriggers(triggers) { firing in
            found.withLock { $0[firing.trigger.ruleId, default: 0] += 1 }
        }
        let attributes: [[String: TelemetryValue]] = [
            [:], ["amount": 100], ["amount": 100.5, "severity": "error"], ["level": "fatal", "user": 4711],
            ["severity": "no severity at all", "level": "WARN"], ["text": "Über die Brücke"], ["user": "4711", "severity": 3],
        ]
        for scenario in [nil, "On"] {
            for name in ["boom", "bottle", ""] {
                for (index, attributes) in attributes.enumerated() {
                    wall.seconds += 1
                    bench.logger.logEvent(
                        name: name, scenario: scenario, level: index % 2 == 0 ? .info : .diagnostic,
                        property1: index % 3 == 0 ? nil : "The card declined \(index)", attributes: attributes)
                }
            }
        }
        await bench.logger.flush()
        let events = try await bench.stored
        #expect(events.count == 42)
        for (text, trigger) in zip(queries, triggers) {
            let expected = events.count { trigger.trigger.when.matches($0, now: wall.date) }
            #expect(found.withLock { $0[text] ?? 0 } == expected, "\(text)")
        }
    }

    @Test("Events that the recorder replaced before they were read are reported, and later ones are read")
    func replacedUnread() async throws {
        let bench = await Bench.recording(wall: wall, bounds: .init(maximumBytes: 64 << 10))
        let found = Mutex(0)
        await bench.logger.setTriggers([try trigger("name:=boom", limit: 10_000)]) { _ in found.withLock { $0 += 1 } }
        let text = String(repeating: "x", count: 900)
        for _ in 0..<500 { bench.logger.logEvent(name: "first", scenario: "Net", property1: text) }
        bench.logger.logEvent(name: "boom", scenario: "Net")
        await bench.logger.setTriggers([]) { _ in }
        #expect(found.withLock(\.self) == 1)
        // Reported by each reading before which events were replaced.
        #expect(Set(bench.diagnostics.kinds) == [.unexpectedInput])
    }
}
