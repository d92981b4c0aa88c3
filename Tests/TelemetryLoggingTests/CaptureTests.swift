import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import Testing

struct CaptureTests {
    @Test(
        "Every text and value is delivered as it was logged",
        arguments: [
            "", "a", "ünïcödé", "👩‍👩‍👧‍👦🏳️‍🌈", "\0nul\0", "line\nbreak\t\"quoted\"", String(repeating: "long ", count: 2_000),
            "Cafe\u{301}",
        ])
    func texts(text: String) async throws {
        let bench = await Bench.active(.init(maximumNameBytes: 16_384))
        await bench.logger.updateScenarioStates([text: true])
        let attributes: [String: TelemetryValue] = [
            text: .string(text), "least": .int(.min), "most": .int(.max), "nan": .double(.infinity), "zero": .double(-0.0),
            "yes": true, "no": false, "date": .date(Date(timeIntervalSinceReferenceDate: 1.25)),
        ]
        bench.logger.logEvent(name: text, scenario: text, level: .diagnostic, property1: text, attributes: attributes)
        await bench.logger.flush()
        let event = try #require(try await bench.stored.first)
        #expect(Array(event.name.utf8) == Array(text.utf8))
        #expect(event.property1.map { Array($0.utf8) } == Array(text.utf8))
        #expect(event.scenario.map { Array($0.utf8) } == Array(text.utf8))
        #expect(event.attributes == attributes)
        #expect(event.level == .diagnostic)
        #expect(event.timestamp == TelemetryFixtures.date)
        #expect(event.device == .current)
        #expect(event.clientId == TelemetryFixtures.clientId)
    }

    @Test("A bridged or otherwise lazy string is kept too")
    func bridged() async throws {
        let bench = await Bench.active()
        let bridged = NSString(string: "brücke – \u{1F600}") as String
        let substring = "xx inner yy".dropFirst(3).dropLast(3)
        bench.logger.logEvent(name: bridged, property1: String(substring))
        await bench.logger.flush()
        #expect(try await bench.stored.first?.name == "brücke – \u{1F600}")
        #expect(try await bench.stored.first?.property1 == "inner")
    }

    @Test("An event has the system's time and the thread of its logging call")
    func noted() async throws {
        let bench = Bench(now: nil)
        let before = Date()
        bench.logger.logEvent(name: "here")
        let after = Date()
        let here = TelemetryLogger.currentThreadId()
        let there = await withCheckedContinuation { continuation in
            let thread = Thread {
                bench.logger.logEvent(name: "there")
                continuation.resume(returning: TelemetryLogger.currentThreadId())
            }
            thread.start()
        }
        #expect(here != there)
        await bench.logger.activate(enabled: true)
        await bench.logger.flush()
        let stored = try await bench.stored
        #expect(stored.map(\.threadId) == [here, there])
        #expect(
            before.addingTimeInterval(-0.001) <= stored[0].timestamp && stored[0].timestamp <= after.addingTimeInterval(0.001))
        #expect(abs(stored[0].timestamp.timeIntervalSince(before)) < 10)
    }

    @Test("Longer texts are cut at a character and marked", arguments: ["a", "é", "👩‍👩‍👧‍👦", "e\u{301}"])
    func cuts(character: String) async throws {
        let bench = await Bench.active(.init(maximumNameBytes: 40, maximumPropertyBytes: 100))
        let long = String(repeating: character, count: 200)
        await bench.logger.updateScenarioStates([long: true])
        bench.logger.logEvent(name: long, scenario: long, property1: long, attributes: [long: .string(long), "short": "kept"])
        await bench.logger.flush()
        let event = try #require(try await bench.stored.first)
        let attribute = try #require(event.attributes.first { $0.key != "short" })
        for (text, limit) in [
            (event.name, 40), (event.scenario ?? "", 40), (event.property1 ?? "", 100), (attribute.key, 40),
            (attribute.value.stringValue ?? "", 100),
        ] {
            #expect(text.utf8.count <= limit)
            #expect(text.utf8.count > limit - character.utf8.count - 3)
            #expect(text.last == "…")
            #expect(text.dropLast().allSatisfy { String($0) == character })
        }
        #expect(event.attributes["short"] == "kept")
    }

    @Test("An event that is too large to be kept is counted and reported")
    func oversized() async throws {
        let bench = await Bench.active(.init(maximumPropertyBytes: 1 << 20))
        bench.logger.logEvent(name: "huge", property1: String(repeating: "x", count: 900_000))
        bench.logger.logEvent(name: "ordinary")
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["ordinary", "telemetry.dropped"])
        #expect(try await bench.stored.last?.attributes == ["oversized": 1])
        #expect(try await bench.stored.map(\.sequence) == [1, 2])
        #expect(bench.diagnostics.kinds == [.eventsDropped])
    }

    @Test("With full memory the oldest events are dropped, counted and reported; the others keep their order and numbers")
    func full() async throws {
        let bench = Bench(.init(memoryLimit: 128 << 10))
        for number in 1...5_000 { bench.logger.logEvent(name: "\(number)", property1: String(repeating: "x", count: 50)) }
        let lost = try #require(bench.logger.statistics.dropped[.full])
        #expect(bench.logger.statistics.waiting + lost == 5_000)
        await bench.logger.activate(enabled: true)
        await bench.logger.flush()
        let stored = try await bench.stored
        #expect(stored.map(\.sequence) == Array((lost + 1)...5_001))
        #expect(stored.last?.name == "telemetry.dropped")
        #expect(stored.last?.attributes == ["full": .int(Int64(lost))])
    }

    @Test("The process hook can change and refuse events, but not their identity")
    func hook() async throws {
        let hook: @Sendable (inout TelemetryEvent) -> Bool = { event in
            if event.name == "secret" { return false }
            event = TelemetryEvent(
                eventId: "forged", clientId: "forged", sessionId: "forged", sequence: 77, name: event.name + "!",
                timestamp: event.timestamp.addingTimeInterval(1), property1: event.property1.map { _ in "redacted" },
                attributes: ["added": true], scenario: event.scenario, level: .diagnostic)
            return true
        }
        let bench = await Bench.active(.init(process: hook))
        bench.logger.logEvent(name: "kept", property1: "card number")
        bench.logger.logEvent(name: "secret")
        bench.logger.logEvent(name: "huge", property1: nil)
        await bench.logger.flush()
        let stored = try await bench.stored
        #expect(stored.map(\.name) == ["kept!", "huge!"])
        #expect(stored.map(\.property1) == ["redacted", nil])
        #expect(stored.map(\.sequence) == [1, 2])
        #expect(stored[0].eventId == "\(bench.logger.currentSessionId)-1" && stored[0].clientId == TelemetryFixtures.clientId)
        #expect(stored[0].timestamp == TelemetryFixtures.date.addingTimeInterval(1))
        #expect(stored[0].attributes == ["added": true] && stored[0].level == .diagnostic)
        #expect(bench.logger.statistics.dropped == [.refused: 1])
    }

    @Test("Settings outside their range are clamped")
    func clamped() async throws {
        let odd = TelemetryLogger.Configuration(
            batchSize: -1, flushInterval: .nan, maxRetries: -5, spool: .init(maximumBytes: -1, maximumAge: -1), memoryLimit: 0,
            maximumNameBytes: -1, maximumPropertyBytes: 0, maximumBatchBytes: 0, shutdownDeadline: -.infinity)
        let bench = await Bench.active(odd)
        bench.logger.logEvent(name: "event")
        await bench.transport.called(.append)
        #expect(bench.appends == [["event"]])
        await bench.logger.shutdown()
    }

    @Test("The defaults are the documented ones")
    func defaults() {
        let configuration = TelemetryLogger.Configuration.default
        #expect(configuration.batchSize == 10 && configuration.flushInterval == 30 && configuration.maxRetries == 3)
        #expect(TelemetryLogger.Configuration.maximumBatchSize == 400)
        #expect(configuration.spoolDirectory == nil)
        #expect(configuration.spool == .init(maximumBytes: 16 << 20, maximumAge: 604_800))
    }
}
