import Foundation
import TelemetryModels

/// Random events and queries that have words, fields and values in common.
struct RandomQuestions {
    private static let words = [
        "timeout", "Card", "declined", "caf\u{e9}", "cafe\u{301}", "\u{212a}elvin", "GR\u{d6}SSE", "a_b", "503", "x", "time-out",
        "10.5", "u47", "U471", "1e3x",
    ]
    private static let names = ["request.finished", "request.failed", "cart.opened", "note"]
    private static let keys = ["status", "took", "user", "http.status", "odd key", "name", "severity", "level"]
    private static let fields =
        keys + [
            "client", "session", "scenario", "level", "severity", "name", "text", "time", "sequence", "id", "thread", "device",
            "app",
            "attributes.name", "missing",
        ]

    private var numbers = SystemRandomNumberGenerator()

    private mutating func one<Value>(of values: [Value]) -> Value { values[Int.random(in: values.indices, using: &numbers)] }
    private mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &numbers) == 0 }

    private mutating func phrase() -> String {
        (0..<Int.random(in: 1...3, using: &numbers)).map { _ in one(of: Self.words) }.joined(
            separator: one(of: [" ", ", ", "-", ""]))
    }

    mutating func event(_ number: Int) -> TelemetryEvent {
        var attributes: [String: TelemetryValue] = [:]
        for key in Self.keys where once(in: 3) { attributes[key] = value(of: key, number) }
        return Sample.event(
            "e\(number)", client: one(of: ["a", "b", "client", nil]), session: one(of: ["s", "t"]), name: one(of: Self.names),
            at: number * 7 % 200, scenario: one(of: ["Net", "UI", "net", nil]), level: one(of: [.info, .diagnostic]),
            property1: once(in: 3) ? nil : phrase(), attributes: attributes)
    }

    private mutating func value(of key: String, _ number: Int) -> TelemetryValue {
        if key == "severity" || key == "level" { return .string(one(of: ["error", "WARN", "trace", "odd"])) }
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0: return .int(Int64.random(in: 498...504, using: &numbers))
        case 1: return .double(Double(Int.random(in: -40...40, using: &numbers)) / 8)
        case 2: return .bool(once(in: 2))
        case 3: return .date(Sample.event("", at: number).timestamp)
        case 4: return .string(one(of: ["503", "4711", "-2.5", "5.03e2", "007", "1e3"]))
        default: return .string(phrase())
        }
    }

    mutating func query() -> String {
        var text = once(in: 6) ? "" : filter(depth: 0)
        if once(in: 2) { text += " | " + pipe() }
        if once(in: 4) { text += " | limit \(Int.random(in: 0...20, using: &numbers))" }
        return text
    }

    private mutating func pipe() -> String {
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: statistics()
        case 1: top()
        case 2: sort()
        default: fields()
        }
    }

    private mutating func filter(depth: Int) -> String {
        switch Int.random(in: 0..<(depth < 3 ? 6 : 3), using: &numbers) {
        case 0...2: return term()
        case 3: return "-" + term()
        case 4: return "\(filter(depth: depth + 1)) \(one(of: ["", "and ", "or "]))\(filter(depth: depth + 1))"
        default: return "not (\(filter(depth: depth + 1)))"
        }
    }

    private mutating func field() -> String {
        let field = one(of: Self.fields)
        return field.contains(" ") ? "\"\(field)\"" : field
    }

    private mutating func term() -> String {
        let word = one(of: Self.words)
        switch Int.random(in: 0..<9, using: &numbers) {
        case 0: return word
        case 1: return "\"\(phrase())\""
        case 2: return one(of: ["\(word.prefix(3))*", "*\(word.suffix(3))", "*\(word.dropFirst().prefix(3))*"])
        case 3: return "\(field()):\"\(word)\""
        case 4:
            return
                "\(field()):\(one(of: ["*", "\"\"", "in(503, note, \"x\")", "=503", "=error", "=request.failed", "=\"\(word)\""]))"
        case 5:
            return
                "\(one(of: ["status", "took", "user", "sequence"])):\(one(of: ["<", "<=", ">", ">="]))\(one(of: ["503", "0", "-1.5", "5e2"]))"
        case 6: return "severity:\(one(of: ["<", ">="]))\(one(of: ["info", "warning", "error"]))"
        case 7:
            return
                "\(one(of: ["", "text:", "user:"]))~\"\(one(of: ["[ct]a?[rm]", "\\\\d+", "^.{3,8}$", "(?i)CARD|x", "\\\\bo"]))\""
        default: return one(of: ["time:1m", "time:2m", "time:1h", "level:<diagnostic"])
        }
    }

    private mutating func group() -> String { one(of: [field(), "time:1m", "time:10s"]) }

    private mutating func statistics() -> String {
        let functions = ["count()"] + ["count", "count_distinct", "sum", "avg", "min", "max"].map { "\($0)(\(field()))" }
        let quantile = "quantile(\(one(of: ["0", "0.5", "0.9", "1"])), \(one(of: ["status", "took"])))"
        let groups = once(in: 3) ? "" : " by \(group())"
        return "stats \(one(of: functions)) as first, \(one(of: functions + [quantile])) as second\(groups)"
            + (once(in: 2) ? " | sort by second desc, first" : "")
    }

    private mutating func top() -> String { "top \(Int.random(in: 1...5, using: &numbers)) \(group())" }
    private mutating func sort() -> String {
        "sort by \(field())\(once(in: 2) ? " desc" : ""), id | limit \(Int.random(in: 1...20, using: &numbers))"
    }
    private mutating func fields() -> String { "fields id, \(one(of: ["status", "took", "time", "severity", "\"odd key\""]))" }
}
