import Foundation
import TelemetryModels
import Testing

@testable import ViewerKit

struct EventRowsTests {
    private static let plain = Style(isOn: false)
    private static let texts = [
        "", "a", "NetworkRequests", "A scenario of more than twenty-four characters", "漢字の長いシナリオの名前です", "🙂👩‍👩‍👧🇩🇪",
        "/srv/deep/path/of/a/file.txt",
        "\u{1B}[2J", "é",
    ]

    private static func event(_ number: Int, _ texts: [String]) -> TelemetryEvent {
        func text(_ index: Int) -> String { texts[(number + index) % texts.count] }
        return TelemetryEvent(
            eventId: "e\(number)", clientId: text(0), sessionId: text(1), sequence: UInt64(number), name: text(2),
            timestamp: Date(timeIntervalSince1970: 1_767_225_600), property1: text(3), attributes: ["key": .string(text(4))],
            scenario: text(5), level: number % 2 == 0 ? .info : .diagnostic)
    }

    /// The column of the terminal at which each title begins.
    private static func starts(_ header: String) -> [Int] {
        var starts: [Int] = []
        var previous: Character = " "
        for (index, character) in header.enumerated() {
            if character != " ", previous == " " { starts.append(index) }
            previous = character
        }
        return starts
    }

    @Test(
        "Rows are aligned with the header and no wider than the terminal, also for longer texts in later rows",
        arguments: [EventColumn.standard, EventColumn.narrow, EventColumn.allCases, [.scenario, .level], [.text]])
    func aligned(columns: [EventColumn]) {
        for width in 40...200 {
            var rows = EventRows(columns: columns, style: Self.plain, width: width, time: TimeText(timeZone: .gmt))
            rows.fit(to: [Self.event(0, ["a"])])
            let starts = Self.starts(rows.header)
            #expect(starts.count == columns.count - rows.omittedColumns.count)
            #expect(rows.header.displayWidth <= width)
            for number in 0..<Self.texts.count {
                let row = rows.row(Self.event(number, Self.texts))
                #expect(row.displayWidth <= width, "width \(width): \(row)")
                for start in starts.dropFirst() {
                    // A cell never reaches into the two columns before the next one.
                    let end = row.dropping(columns: start - 2).text.prefix(2)
                    #expect(end.allSatisfy { $0 == " " }, "width \(width): \(row)")
                }
            }
        }
    }

    @Test("Captured events are marked, also those without a text")
    func captured() {
        func row(_ text: String?, _ attributes: [String: TelemetryValue]) -> String {
            EventRows(columns: [.text], style: Self.plain, width: nil).row(
                TelemetryEvent(sessionId: "s", name: "step", property1: text, attributes: attributes))
        }
        #expect(row("read", ["telemetry.captured": true]) == "[captured] read")
        #expect(row(nil, ["telemetry.captured": true]) == "[captured]")
        #expect(row("read", ["telemetry.captured": "yes"]) == "read")
    }

    @Test("A scenario name of more than 14 characters does not shift its row, whenever it appears")
    func longScenario() {
        func event(_ scenario: String) -> TelemetryEvent {
            TelemetryEvent(
                sessionId: "s", name: "step", timestamp: Date(timeIntervalSince1970: 1_767_225_600), property1: "text",
                scenario: scenario)
        }
        var rows = EventRows(columns: EventColumn.narrow, style: Self.plain, width: 80, time: TimeText(timeZone: .gmt))
        rows.fit(to: [event("NetworkRequests"), event("A")])
        #expect(rows.header == "TIME          SCENARIO         NAME            TEXT                   ATTRIBUTES")
        #expect(rows.row(event("NetworkRequests")) == "00:00:00.000  NetworkRequests  step            text")
        #expect(rows.row(event("A")) == "00:00:00.000  A                step            text")
        #expect(rows.row(event("NetworkRequestsOfTheApp")) == "00:00:00.000  NetworkRequest…  step            text")
    }

    @Test("Columns that do not fit are left out as a whole and named; without a terminal nothing is truncated")
    func omitted() {
        let narrow = EventRows(columns: EventColumn.standard, style: Self.plain, width: 40)
        #expect(narrow.omittedColumns == [.client, .scenario, .level, .attributes])
        let all = EventRows(columns: EventColumn.allCases, style: Self.plain, width: nil)
        #expect(all.omittedColumns.isEmpty)
        let text = String(repeating: "x", count: 500)
        let event = TelemetryEvent(sessionId: text, name: text, property1: text, scenario: text)
        #expect(all.row(event).components(separatedBy: text).count == 5)
    }
}
