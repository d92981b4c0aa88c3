import Foundation
import Measure
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryTransport

/// Measures what 200 triggers, which no event matches, cost the delivery to a file store: the processor time of all threads without that
/// of the calls.
struct TriggerSuite {
    let scale: Scale

    private static let scenario = "NetworkRequests"
    private static let none = "no triggers"
    /// What the triggers of one kind wait for, by the number of the trigger.
    private static let kinds: [(name: String, when: @Sendable (Int) -> String)] = [
        ("a scenario, a name and a severity", { "scenario:=\(scenario) name:=failed.\($0) severity:>=error" }),
        ("a severity", { $0.isMultiple(of: 2) ? "severity:>=error" : "severity:=critical" }),
        ("an attribute above a number", { "duration:>\(10 + $0)" }),
        ("an attribute equal to a number", { "status:=\(500 + $0)" }),
        ("a word", { word($0) }),
    ]

    func run() async throws {
        let result = try await Comparison(
            "Delivery to a file store, with 200 triggers on", rounds: scale.effectiveRounds,
            contenders: [delivery(Self.none) { _ in nil }] + Self.kinds.map { kind in delivery(kind.name) { kind.when($0) } },
            aims: Self.kinds.map { .of($0.name, atMost: 1.05, times: Self.none) }
        ).run()
        print(result.text())
    }

    private func delivery(_ name: String, when: @escaping @Sendable (Int) -> String?) -> Contender {
        let count = scale.size(200_000)
        return Contender(name) {
            let scratch = try Scratch()
            let room = 256 << 20
            let logger = TelemetryLogger(
                configuration: .init(
                    spoolDirectory: scratch.url.appending(path: "spool"), spool: .init(maximumBytes: room), memoryLimit: room),
                transport: try FileTelemetryTransport(directory: scratch.url.appending(path: "store")))
            let triggers = try (0..<200).compactMap { number in try when(number).map { try Self.rule(number, when: $0) } }
            let recording = TelemetryRuleRecord(ruleId: "recording", scenarioName: Self.scenario)
            let service = try await LoggerSuite.approvedService(
                of: logger, policy: TelemetryPolicy(recordedScenarios: ["other"]), rules: triggers + [recording])
            await service.startup()
            try await service.registerScenarios([Self.scenario])
            await service.restorationFinished()
            try expect(await service.overview.triggers.count, triggers.count)
            let start = processTime()
            let calls = callerTime(calls: 1) { Self.log(logger, count) }
            await logger.flush()
            let time = Double(processTime() - start) - calls
            try expect(await service.overview.triggers.reduce(0) { $0 + $1.actions }, 0)
            try expect(Int(logger.statistics.delivered), count)
            await service.shutdown()
            return time / Double(count)
        }
    }

    private static func rule(_ number: Int, when: String) throws -> TelemetryRuleRecord {
        TelemetryRuleRecord(
            ruleId: "rule.\(number)", scenarioName: "other",
            trigger: TelemetryTrigger(when: try TelemetryQuery(when), action: .capture(lookback: nil)))
    }

    private static func log(_ logger: TelemetryLogger, _ count: Int) {
        for number in 0..<count {
            logger.logEvent(
                name: names[number % names.count], scenario: scenario, property1: texts[number % texts.count],
                attributes: ["status": .int(200), "duration": .double(Double(number % 100) / 50), "host": "api.example.com"])
        }
    }

    private static let names = ["request.started", "request.redirected", "request.finished"]
    private static let texts = (0..<64).map { "The request for /catalog/items/\($0) was answered by replica \($0 % 7)" }

    /// One of 200 words that are in no event.
    private static func word(_ number: Int) -> String {
        let subjects = [
            "card", "account", "upload", "session", "token", "quota", "cache", "socket", "battery", "location", "purchase",
            "photo",
            "contact", "calendar", "payment", "printer", "camera", "sensor", "network", "database",
        ]
        let events = [
            "Declined", "Exhausted", "Refused", "Expired", "Corrupted", "Interrupted", "Unavailable", "Rejected", "Missing",
            "Overflow",
        ]
        return subjects[number % subjects.count] + events[number / subjects.count]
    }
}
