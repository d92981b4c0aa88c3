import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryLogging

/// Triggers that are excluded without evaluating their queries, compared with the queries. Texts, letters and numbers are few, so that
/// most conditions hold for some events.
@Suite(.timeLimit(.minutes(10)))
struct TriggerIndexTests {
    private static let words = [
        "declined", "decline", "Timeout", "outage", "disk", "likely", "false", "fals", "true", "e", "abcdefgh", "bcde", "cdefghi",
        "_under_",
    ]
    /// U+212A and U+0130 are in lowercase "k" and "i"; the others only begin with the same bytes.
    private static let texts =
        words + [
            "dis\u{212A}", "li\u{212A}ely", "d\u{130}sk", "decl\u{130}ned", "…", "ąć", "Ünder", "x", "-", "..", "%_", "DECLINED",
            "ABCDEFGHI",
        ]
    private static let numbers = [
        "0", "-1", "3", "3.0", "100", "100.5", "1e2", "9007199254740993", "9223372036854775807", "-0.5",
    ]
    private static let keys = ["amount", "amount", "amount", "amount", "amounts", "level", "severity", "flag", "user", "k"]

    private func encoded(_ event: CapturedEvent) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: event.maximumFrameBytes, alignment: 16)
        defer { buffer.deallocate() }
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        let frame = FrameEncoding.encode(event, in: buffer)
        return Array(buffer.prefix(frame.count))
    }

    private func text(_ random: inout SeededGenerator) -> String {
        let parts = (0..<Int.random(in: 0...6, using: &random)).map { _ in Self.texts.randomElement(using: &random) ?? "" }
        return parts.joined(separator: [" ", "", ", "].randomElement(using: &random) ?? "")
    }

    private func value(_ random: inout SeededGenerator) -> TelemetryValue {
        let number = Self.numbers.randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return .bool(Bool.random(using: &random))
        case 1: return .date(Date(timeIntervalSinceReferenceDate: 100))
        case 2: return .string(number)
        case 3: return .string(["error", "WARN", "fatal", "debug"].randomElement(using: &random) ?? "")
        case 4: return .double([.nan, .infinity, -.infinity, -0.0, 1e300].randomElement(using: &random) ?? 0)
        case 5: return .double(Double(number) ?? 0)
        case 6: return .int(Int64(number) ?? 3)
        default: return .string(text(&random))
        }
    }

    private func event(_ random: inout SeededGenerator, at seconds: Double) -> CapturedEvent {
        var attributes: [String: TelemetryValue] = [:]
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            attributes[Self.keys.randomElement(using: &random) ?? ""] = value(&random)
        }
        return CapturedEvent(
            name: ["boom", "boom.\(Self.texts.randomElement(using: &random) ?? "")", "", "o"].randomElement(using: &random) ?? "",
            scenario: [nil, "On", "Off", "boom"].randomElement(using: &random) ?? nil,
            level: Bool.random(using: &random) ? .info : .diagnostic, property1: random.once(in: 3) ? nil : text(&random),
            attributes: attributes, secondsSinceReference: seconds, thread: .random(in: 0..<300, using: &random))
    }

    private func term(_ random: inout SeededGenerator) -> String {
        func one(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
        let (word, key, number) = (one(Self.words), one(Self.keys), one(Self.numbers))
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return one(["*", "", "k"]) + word
        case 1: return word + "*"
        case 2: return "\"\(word) \(one(Self.words))\""
        case 3: return one(["text", "name", key]) + ":" + word
        case 4: return one(["name", key]) + ":=\(word)"
        case 5, 6: return "attributes.\(key):" + one([">", ">=", "<", "<="]) + number
        case 7: return "attributes.\(key):=" + number
        case 8: return "attributes.\(key):in(\(number), \(one(Self.numbers)))"
        case 9: return "attributes.\(key):in(\(number), \(word), true)"
        case 10: return "severity:" + one([">=", "=", "<"]) + one(["error", "warning", "debug", "info"])
        case 11: return "scenario:" + one(["=On", "=Off", "*", "boom"])
        case 12: return "name:=" + one(["boom", "o", "\"\"", "boom.disk"])
        case 13: return "attributes.\(key):*"
        case 14: return one(["level:info", "time:1m", "time:1d", "~\"dis.\"", "sequence:>3", "text:~\"(?i)decl\""])
        default: return word
        }
    }

    private func filter(_ random: inout SeededGenerator, depth: Int = 2) -> String {
        guard depth > 0 else { return term(&random) }
        let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let part = random.once(in: 3) ? "(\(filter(&random, depth: depth - 1)))" : term(&random)
            return random.once(in: 5) ? "not \(part)" : part
        }
        return parts.joined(separator: random.once(in: 3) ? " or " : " ")
    }

    @Test("Triggers match exactly the events that their queries match, whatever excludes them before")
    func agreesWithQueries() throws {
        let comment: Comment = "TELEMETRY_SEED=\(randomSeed)"
        var random = SeededGenerator()
        var matches = 0
        for _ in 0..<25 {
            let texts = Set((0..<Int.random(in: 1...40, using: &random)).map { _ in filter(&random) })
            let triggers = try texts.sorted().map { text in
                EventTrigger(
                    ruleId: text, scenario: "Other",
                    trigger: TelemetryTrigger(
                        when: try TelemetryQuery(text), within: 0.1, action: .capture(lookback: nil), limit: 10_000, per: 0.1))
            }
            var evaluator = TriggerEvaluator()
            evaluator.set(triggers)
            var decoder = FrameDecoder(session: Session(id: "session"), clientId: "client", firstSequence: 1)
            // At that time, some of the events are older than a minute.
            let now = Date(timeIntervalSinceReferenceDate: 130)
            for number in 1...40 {
                let frame = encoded(event(&random, at: Double(number) * 2))
                var events: [TelemetryEvent] = []
                #expect(frame.withByteView { decoder.decode($0, into: &events) })
                let expected = triggers.filter { $0.trigger.when.matches(events[0], now: now) }.map(\.ruleId)
                let unread = UnreadEvents(
                    source: .segment(firstSequence: UInt64(number)), bytes: frame, frames: [frame.indices])
                let found = evaluator.evaluate(unread, clientId: "client", sessionId: "session", now: now)
                #expect(found.map(\.trigger.ruleId).sorted() == expected, comment)
                matches += expected.count
            }
        }
        #expect(matches > 500, comment)
    }
}
