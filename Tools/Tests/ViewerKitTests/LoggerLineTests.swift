import Foundation
@_spi(Tooling) import TelemetryModels
import Testing
@_spi(Tooling) import ViewerKit

struct LoggerLineTests {
    private static let date = Date(timeIntervalSince1970: 1_774_000_000.5)

    private func parse(_ line: String) throws -> LineParser.Line { try LineParser(level: .info, isJSON: true).parse(line) }

    @Test(
        "Lines of usual loggers keep their level, date and text",
        arguments: [
            // pino
            (
                #"{"level":40,"time":1774000000500,"pid":7,"hostname":"h","msg":"m"}"#,
                LineParser.Line(level: .info, text: "m", attributes: ["severity": "warning", "pid": 7, "hostname": "h"])
            ),
            // bunyan
            (
                #"{"name":"app","v":0,"level":50,"time":"2026-03-20T09:46:40.500Z","msg":"m"}"#,
                .init(name: "app", level: .info, text: "m", attributes: ["severity": "error", "v": 0])
            ),
            // zap
            (
                #"{"level":"warn","ts":1774000000.5,"caller":"a.go:1","msg":"m"}"#,
                .init(level: .info, text: "m", attributes: ["severity": "warn", "caller": "a.go:1"])
            ),
            // logrus
            (
                #"{"level":"fatal","msg":"m","time":"2026-03-20T11:46:40.5+02:00"}"#,
                .init(level: .info, text: "m", attributes: ["severity": "fatal"])
            ),
            // slog
            (
                #"{"time":"2026-03-20T09:46:40.500000Z","level":"DEBUG-4","msg":"m"}"#,
                .init(level: .diagnostic, text: "m", attributes: ["severity": "DEBUG-4"])
            ),
            // RFC 5424
            (
                #"{"severity":"crit","timestamp":"2026-03-20T09:46:40.5Z","message":"m"}"#,
                .init(level: .info, text: "m", attributes: ["severity": "crit"])
            ),
            (
                #"{"severity":4,"timestamp":1774000000500000,"message":"m"}"#,
                .init(level: .info, text: "m", attributes: ["severity": "warning"])
            ),
            (
                #"{"severity":"INFO","ts":1774000000500000000,"message":"m"}"#,
                .init(level: .info, text: "m")
            ),
        ])
    func loggers(line: String, expected: LineParser.Line) throws {
        var line = try parse(line)
        let date = try #require(line.date)
        #expect(abs(date.timeIntervalSince(Self.date)) < 1e-5)
        line.date = nil
        #expect(line == expected)
    }

    @Test(
        "Fields that are not understood, or that are given twice, stay attributes",
        arguments: [
            (#"{"level":"audit","time":"soon","msg":7}"#, ["level": "audit", "time": "soon", "msg": 7]),
            (#"{"severity":"error","level":"warn"}"#, ["severity": "error", "level": "warn"]),
            (#"{"level":35}"#, ["severity": 35]),
            (#"{"time":0.25,"ts":12}"#, ["time": 0.25, "ts": 12]),
            (#"{"ts":1774000000500000001}"#, ["ts": 1_774_000_000_500_000_001]),
            (#"{"message":"a","msg":"b"}"#, ["msg": "b"]), (#"{"event":"a","name":"b"}"#, ["name": "b"]),
            (#"{"level":"diagnostic","a":{"b":[1]}}"#, ["a": #"{"b":[1]}"#]),
            (#"{"severity":"P1","level":"error"}"#, ["severity": "P1", "level": "error"]),
        ] as [(String, [String: TelemetryValue])])
    func others(line: String, attributes: [String: TelemetryValue]) throws {
        #expect(try parse(line).attributes == attributes)
    }

    @Test("With a pattern for the level, the fields with a level stay attributes")
    func pattern() throws {
        let parser = try LineParser(level: .info, levelPattern: #""lvl":"(\w+)""#, isJSON: true)
        let line = parser.parse(#"{"lvl":"debug","level":"warn"}"#)
        #expect(line.level == .diagnostic)
        #expect(line.attributes == ["lvl": "debug", "level": "warn"])
    }

    @Test("Severities have one order, from trace to emergency")
    func order() {
        let words = ["trace", "verbose", "debug", "diagnostic", "info", "notice", "WARN", "error", "fatal", "alert", "emerg"]
        let severities = words.compactMap { QuerySeverity(word: $0) }
        #expect(severities.count == words.count)
        #expect(severities == severities.sorted())
        #expect(QuerySeverity(word: "audit") == nil && QuerySeverity(number: 8) == nil && QuerySeverity(number: -1) == nil)
    }

    @Test(
        "An event's severity is in the attribute severity or level, otherwise it follows from the event's level",
        arguments: [
            (["severity": "warn", "level": "error"], TelemetryLogLevel.info, QuerySeverity.warning),
            (["level": "critical"], .info, .critical), (["level": "high"], .info, .info), ([:], .diagnostic, .debug),
            (["severity": 3], .info, .error),
        ] as [([String: TelemetryValue], TelemetryLogLevel, QuerySeverity)])
    func severity(attributes: [String: TelemetryValue], level: TelemetryLogLevel, expected: QuerySeverity) {
        let event = TelemetryEvent(sessionId: "s", name: "n", attributes: attributes, level: level)
        #expect(event.severity == expected)
    }

    @Test("Warnings and errors are shown with their word and colour")
    func rows() {
        let rows = EventRows(columns: [.level, .name], style: Style(isOn: true), width: 80)
        func row(_ word: String) -> String {
            rows.row(TelemetryEvent(sessionId: "s", name: "n", attributes: ["severity": .string(word)]))
        }
        #expect(row("WARN") == "\u{1B}[33mwarning\u{1B}[0m     \u{1B}[33mn\u{1B}[0m")
        #expect(row("fatal") == "\u{1B}[31mcritical\u{1B}[0m    \u{1B}[31mn\u{1B}[0m")
    }
}
