import Foundation
import TelemetryModels
import Testing

struct QueryMatchingTests {
    private static let now = Date(timeIntervalSince1970: 1_795_600_800)

    private static func event(
        client: String? = "web-1", name: String = "request.finished", text: String? = "Card declined by Größe_1",
        attributes: [String: TelemetryValue] = [:], scenario: String? = "Checkout", level: TelemetryLogLevel = .info,
        age: TimeInterval = 60
    ) -> TelemetryEvent {
        TelemetryEvent(
            eventId: "e-1", clientId: client, sessionId: "s-1", sequence: 7, name: name, timestamp: now - age,
            device: TelemetryDeviceInfo(
                deviceType: "Linux", deviceName: "box", deviceModel: "x86_64", osVersion: "1", appVersion: "2.1 (30)"),
            threadId: "main", property1: text, attributes: attributes, scenario: scenario, level: level)
    }

    private static let attributes: [String: TelemetryValue] = [
        "status": 503, "duration": 2.5, "user": "4711", "retried": true, "seen": .date(now), "big": 9_007_199_254_740_993,
        "nan": .double(.nan), "inf": .double(.infinity), "odd key": "x y", "name": "inner", "whole": 2.0, "empty": "",
        "huge": "1e999",
    ]

    @Test(
        "Terms that match",
        arguments: [
            "", "*", "card", "CARD declined", #""card declined""#, #""d declined""# + " or card", "größe_1", "GRÖSSE_1 or card",
            "GRÖßE_1",
            "card*", "*clined", "*eclin*", #"*"d decl"*"#, "request", "finished", "request.finished", #""""#, "503", "2.5",
            "true", "4711", "2.0",
            "*2026*", "name:request", #"text:"card declined""#, "text:card", "status:50*", "status:*50*", "status:503",
            "-status:50",
            "status:=503", "status:=503.0", "status:=5.03e2", "user:=4711", "user:=4711.0", #"user:="4711""#, "duration:=2.5",
            "whole:=2",
            "whole:=2.0", "retried:=true", "-retried:=1", "name:=request.finished", "-name:=Request.finished", "empty:=\"\"",
            "empty:\"\"",
            "nan:=nan", "inf:=inf", "-nan:>0", "-inf:>0", "-huge:>0", "status:>=503", "status:>502.5", "status:<504",
            "status:<=503", "user:>4710",
            "big:>9007199254740992", "big:>9007199254740992.0", "big:=9007199254740993", "-big:=9007199254740992", "-retried:>0",
            "-seen:>5", "time:2026", "time:2026-11", "-time:2025",
            "status:in(500, 503)", #"status:in("n/a",503.0)"#, "-status:in()", "-status:in(500)", "status:*", "-missing:*",
            "-missing:=\"\"",
            "-missing:\"\"", "-missing:>0", #"text:~"d.*d""#, #"~"^request\.""#, #"-~"^declined""#, #"status:~"^5\d\d$""#,
            #"text:~"(?i)CARD""#,
            "time:1m", "time:60s", "-time:59s", "time:1h", "time:>=2026-11-25T09:59:00Z", "time:<2026-11-26", "time:>2026-11-25",
            "-time:>2026-11-26",
            "seen:>=2026-11-25T10:00:00Z", "-status:>2026-11-24", "-user:>2026-11-24", "client:=web-1", "client:web",
            "session:=s-1",
            "scenario:=Checkout", "-scenario:=checkout", "scenario:checkout", "level:=info", "level:<diagnostic", "level:>=info",
            "severity:=info",
            "severity:>debug", "severity:<=notice", "sequence:=7", "sequence:>6", "id:=e-1", "thread:main", "device:x86_64",
            "-device:x86",
            "app:2.1", "app:=\"2.1 (30)\"", "attributes.name:=inner", #""odd key":y"#, "-Status:*", "time:*", "severity:*",
            "card and declined or nothing",
            "nothing or card declined", "-(nothing or nowhere)", "(card or nothing) declined", "-nothing", "not not card", "-odd",
            "-status",
        ])
    func matching(query: String) throws {
        let event = Self.event(attributes: Self.attributes)
        #expect(try TelemetryQuery(query).matches(event, now: Self.now))
        if !query.isEmpty { #expect(try !TelemetryQuery("not (\(query))").matches(event, now: Self.now)) }
    }

    @Test(
        "Words are compared by simple lowercase, without normalization",
        arguments: [
            ("\u{212a}elvin", "kelvin", true), ("kelvin", "\u{212a}ELVIN", true), ("\u{130}stanbul", "istanbul", true),
            ("Σ", "σ", true), ("ς", "σ", false),
            ("caf\u{e9}", "CAF\u{c9}", true), ("caf\u{e9}", "cafe\u{301}", false), ("cafe\u{301}", "cafe", false),
            ("cafe\u{301}", "cafe*", true),
            ("straße", "STRASSE", false), ("a\u{663}b", "a", false), ("a²", "a", false), ("漢字", "漢", false), ("漢字", "漢*", true),
            ("a\u{200d}b", "a", true),
            ("xa a", "a", true), ("aaab aab", "aab", true), ("_a", "a", false), ("a-b", "a", true), ("ab-cd", "b-c", false),
            ("ab-cd", "*b-c*", true),
            ("(a)", "\"(a)\"", true), ("x(a)y", "\"(a)\"", true), ("a b", "\" b\"", true), ("a b", "\"a \"", true),
            ("a", "ab", false), ("", "a", false),
        ])
    func words(text: String, query: String, isMatch: Bool) throws {
        let event = Self.event(name: "", text: text)
        #expect(try TelemetryQuery(query).matches(event) == isMatch)
        #expect(try TelemetryQuery("text:\(query)").matches(event) == isMatch)
        #expect(try TelemetryQuery(query).matches(Self.event(name: "", text: nil, attributes: ["a": .string(text)])) == isMatch)
    }

    @Test(
        "A class that ignores case matches what has the same simple lowercase mapping as a scalar of it",
        arguments: [
            ("K", "\u{212a}"), ("A-Z", "\u{212a}"), ("\u{130}", "i"), ("\u{1c5}", "\u{1c6}"), ("\u{1e9e}", "\u{df}"),
            ("\u{1f88}", "\u{1f80}"),
        ])
    func classes(members: String, text: String) throws {
        let event = Self.event(name: "", text: text)
        #expect(try TelemetryQuery("~\"(?i)^[\(members)]$\"").matches(event))
        #expect(try !TelemetryQuery("~\"(?i)^[^\(members)]$\"").matches(event))
        #expect(try !TelemetryQuery("~\"^[\(members)]$\"").matches(event))
    }

    @Test(
        "A severity is the first of the attributes severity and level that is one, otherwise that of the level",
        arguments: [
            ([:], .info, "info"), ([:], .diagnostic, "debug"), (["severity": "WARN"], .info, "warning"),
            (["severity": "Fatal"], .info, "critical"),
            (["level": "error"], .info, "error"), (["severity": "odd", "level": "ERROR"], .info, "error"),
            (["severity": 3], .diagnostic, "debug"),
            (["severity": "trace", "level": "error"], .info, "trace"),
        ] as [([String: TelemetryValue], TelemetryLogLevel, String)])
    func severities(attributes: [String: TelemetryValue], level: TelemetryLogLevel, expected: String) throws {
        let event = Self.event(attributes: attributes, level: level)
        #expect(try TelemetryQuery("severity:=\(expected) severity:>=\(expected) severity:<=\(expected)").matches(event))
    }

    @Test("An event without a client, scenario or text lacks these fields")
    func missing() throws {
        let event = Self.event(client: nil, text: nil, scenario: nil)
        #expect(try TelemetryQuery("-client:* -scenario:* -text:* -text:\"\" -text:~\"\" -scenario:=\"\"").matches(event))
    }
}
