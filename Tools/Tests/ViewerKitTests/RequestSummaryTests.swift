import TelemetryModels
import Testing

@testable import ViewerKit

struct RequestSummaryTests {
    private static let request: [String: TelemetryValue] = [
        "method": "GET", "host": "api.example.com", "path": "/users/{id}",
    ]

    private static func event(
        _ name: String = "request.finished", _ attributes: [String: TelemetryValue] = [:], text: String? = nil,
        without key: String? = nil
    ) -> TelemetryEvent {
        var all = request.merging(attributes) { $1 }
        if let key { all[key] = nil }
        return TelemetryEvent(sessionId: "s", name: name, property1: text, attributes: all)
    }

    private static func finished(
        _ seconds: Double, _ bytes: Int64 = 1_234, _ more: [String: TelemetryValue] = [:]
    ) -> TelemetryEvent {
        event(
            "request.finished",
            ["status": 200, "duration": .double(seconds), "responseBytes": .int(bytes)].merging(more) { $1 })
    }

    @Test(
        "A request is one line",
        arguments: [
            (event("request.started"), "", ""),
            (finished(0.143), "  200  143 ms  1.2 kB", ""),
            (finished(0.143, 0, ["status": 503, "requestBytes": 0]), "  503  143 ms  0 B", ""),
            (finished(1, 5, ["requestBytes": 7, "trace": "a"]), "  200  1.0 s  5 B", "requestBytes=7 trace=a"),
            (
                event("request.failed", ["error": "NSURLErrorDomain", "code": -1004, "duration": 0.0021]),
                "  failed: NSURLErrorDomain -1004  2.1 ms", ""
            ),
            (event("request.failed", ["error": "cancelled", "code": -999, "duration": 2.5]), "  cancelled  2.5 s", ""),
        ])
    func line(_ event: TelemetryEvent, outcome: String, rest: String) throws {
        let summary = try #require(RequestSummary(event))
        #expect(summary.text() == "GET api.example.com/users/{id}" + outcome)
        #expect(summary.attributes.plain == rest)
    }

    @Test(
        "Durations and sizes have two or three digits",
        arguments: [
            (0, 0, "0.0 ms  0 B"), (0.00004, 999, "0.0 ms  999 B"), (0.00994, 1_000, "9.9 ms  1.0 kB"),
            (0.00995, 9_949, "10 ms  9.9 kB"), (0.9994, 9_950, "999 ms  10 kB"), (0.9995, 999_499, "1.0 s  999 kB"),
            (9.94, 999_500, "9.9 s  1.0 MB"), (9.95, 25_000_000, "10 s  25 MB"), (90, 3_000_000_000, "90 s  3.0 GB"),
            (4_000, .max, "4000 s  9223372 TB"),
        ])
    func units(seconds: Double, bytes: Int64, text: String) throws {
        #expect(try #require(RequestSummary(Self.finished(seconds, bytes))).text().hasSuffix("  200  \(text)"))
    }

    @Test("A duration or a size that is none stays an attribute", arguments: [-1, .nan, .infinity, 1e300])
    func odd(seconds: Double) throws {
        let summary = try #require(RequestSummary(Self.finished(seconds, -1)))
        #expect(summary.text() == "GET api.example.com/users/{id}  200")
        #expect(summary.attributes.keys.sorted() == ["duration", "responseBytes"])
        let other = try #require(RequestSummary(Self.finished(0, 0, ["duration": "long", "responseBytes": true])))
        #expect(other.attributes.plain == "duration=long responseBytes=true")
    }

    @Test(
        "Other events are shown as they are",
        arguments: [
            event("cart.opened"), event("request.finished"), event("request.finished", ["status": "200"]),
            event("request.failed", ["error": "cancelled"]), event("request.failed", ["error": 5, "code": 5]),
            event("request.started", text: "own text"), event("request.started", ["host": 7]),
            event("request.started", without: "method"), event("request.started", without: "path"),
        ])
    func others(_ event: TelemetryEvent) { #expect(RequestSummary(event) == nil) }

    @Test("The end of a path is cut rather than the outcome, unless there is no room for a path")
    func narrow() throws {
        let summary = try #require(RequestSummary(Self.finished(0.143)))
        #expect(summary.text(in: 51) == "GET api.example.com/users/{id}  200  143 ms  1.2 kB")
        #expect(summary.text(in: 40) == "GET api.example.co…  200  143 ms  1.2 kB")
        #expect(summary.text(in: 20) == summary.text())
    }

    @Test("A row shows the line in place of the attributes, and all attributes if it has no column for the text")
    func row() {
        func row(_ columns: [EventColumn], _ event: TelemetryEvent = Self.finished(0.143, 5, ["a": 1]), width: Int? = nil)
            -> String
        {
            var rows = EventRows(columns: columns, style: Style(isOn: false), width: width)
            rows.fit(to: [event])
            return rows.row(event)
        }
        #expect(row([.text, .attributes]) == "GET api.example.com/users/{id}  200  143 ms  5 B  a=1")
        #expect(
            row([.name, .attributes])
                == "request.finished  a=1 duration=0.143 host=api.example.com method=GET path=/users/{id} responseBytes=5 status=200"
        )
        #expect(row([.name, .text], width: 50) == "request.finished  GET api.examp…  200  143 ms  5 B")
        let captured = Self.finished(0.143, 5, ["telemetry.captured": true])
        #expect(row([.text], captured, width: 40) == "[captured] GET api.ex…  200  143 ms  5 B")
    }
}
