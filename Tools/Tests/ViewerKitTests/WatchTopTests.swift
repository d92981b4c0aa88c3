import Foundation
@_spi(Tooling) import TelemetryModels
import TelemetryTransport
import Testing

@testable import ViewerKit

struct WatchTopTests {
    private static let hostile = [
        "say \"hi\"", "back\\slash\\", "\\\"", "tab\tline\nend", "\u{1B}[2J", "\"\u{301}", "", "a) or (b", "*",
    ]

    private func events() -> [TelemetryEvent] {
        (0..<30).map { number in
            WatchedEvents.event(
                number, attributes: number % 3 == 0 ? ["status": .int(number % 2 == 0 ? 500 : 503), "name": "x"] : [:])
        }
    }

    /// Opens a field's values as a store with these events answers.
    private func open(_ keys: [Key], _ model: inout WatchModel, storing events: [TelemetryEvent]) throws {
        guard case .top(let request) = model.press(keys) else {
            Issue.record("no .top")
            return
        }
        #expect(WatchedEvents.drawn(model)[1].contains("[reading …]"))
        model.receive(try request.query.result(over: events.filter(request.filter.matches)), for: request)
    }

    @Test("In the list, t offers the fields of the selected event")
    func fields() {
        var model = WatchedEvents.model(events())
        model.press([.home, .character("t")])
        let lines = WatchedEvents.drawn(model)
        #expect(lines[1].hasPrefix("─ TOP VALUES of which field?"))
        #expect(
            lines[2...9].map { $0.drop { $0 == "▸" || $0 == " " }.prefix { $0 != " " } }
                == ["scenario", "name", "severity", "client", "app", "device", "attributes.name", "status"])
        #expect(lines[2].hasPrefix("▸ "))
        model.press([.down])
        #expect(WatchedEvents.drawn(model)[3].hasPrefix("▸ name"))
        model.press([.pageDown])
        #expect(model.top?.field?.name == "attributes.name")
        model.press([.pageUp, .pageUp])
        #expect(model.top?.field?.name == "scenario")
        model.press([.escape])
        #expect(model.top == nil)
    }

    @Test("The values have counts and bars, and are those of the events that match")
    func values() throws {
        var model = WatchedEvents.model(events())
        model.filter("-text:*7", storing: events())
        model.press([.home])
        try open([.character("t")] + Array(repeating: .down, count: 7) + [.enter], &model, storing: events())
        let lines = WatchedEvents.drawn(model)
        #expect(lines[1].hasPrefix("─ TOP VALUES of status in 27 events"))
        #expect(lines[2].hasPrefix("▸ – (without the field)  ████"))
        #expect(lines[3].hasPrefix("  500                    █") && lines[3].contains(" 5 "))
        #expect(lines[4].contains("503") && lines[4].contains(" 4 "))
        #expect(lines.last?.contains("adds to the filter") == true)
        #expect(WatchedEvents.drawn(model, columns: 40).last?.hasPrefix(" Enter adds to the filter Esc back ") == true)
    }

    @Test(
        "Enter adds the value to the filter, and - excludes it",
        arguments: [
            ([Key.down, .enter], "-text:*7 status:=500", 5), ([.down, .down, .character("-")], "-text:*7 -status:=503", 23),
            ([.enter], "-text:*7 -status:*", 18), ([.character("-")], "-text:*7 status:*", 9),
        ])
    func use(keys: [Key], query: String, count: Int) throws {
        var model = WatchedEvents.model(events())
        model.filter("-text:*7", storing: events())
        model.press([.home])
        try open([.character("t")] + Array(repeating: .down, count: 7) + [.enter], &model, storing: events())
        model.press(keys, storing: events())
        #expect(model.filter.conditions.query.description == query)
        #expect(model.top == nil)
        #expect(model.browser.count == count)
    }

    @Test("In an event's details, t shows the values of the line's field")
    func detail() throws {
        var model = WatchedEvents.model(events())
        model.press([.home, .enter])
        WatchedEvents.draw(&model)
        model.press([.end])
        try open([.character("t")], &model, storing: events())
        #expect(WatchedEvents.drawn(model)[1].contains("TOP VALUES of status in 30 events"))
        model.press([.escape])
        #expect(model.top == nil)
        #expect(model.pager != nil)
        try open([.home, .character("t")], &model, storing: events())
        #expect(WatchedEvents.drawn(model)[1].contains("TOP VALUES of name in 30 events"))
        model.press([.enter], storing: events())
        #expect(model.filter.conditions.query.description == "name:=file.read")
        #expect(model.pager == nil)
    }

    @Test("A line without a field of the language asks for the field")
    func lineWithoutField() {
        var model = WatchedEvents.model(events())
        model.press([.home, .enter])
        WatchedEvents.draw(&model, rows: 60)
        model.press(Array(repeating: .down, count: 10) + [.character("t")])
        #expect(WatchedEvents.drawn(model)[1].contains("which field?"))
    }

    @Test("Every name and value becomes a term for exactly the events with it", arguments: hostile)
    func quoting(text: String) throws {
        for key in [text, "name", "attributes.name", "time"] {
            let event = WatchedEvents.event(1, attributes: [key: .string(text)])
            let others = [WatchedEvents.event(2, attributes: [key: .string(text + "x")]), WatchedEvents.event(3)]
            let field = EventField(attribute: key)
            for (term, found) in [(field.term(for: text), ["1"]), (field.term(for: nil), ["3"])] {
                let query = try TelemetryQuery(filter: term)
                #expect(([event] + others).filter { query.matches($0) }.map(\.eventId) == found, "\(term)")
                #expect(try TelemetryQuery(filter: "-\(term)").matches(event) == !query.matches(event))
            }
            let top = try TopRequest(field, filter: .all).query.result(over: [event] + others)
            #expect(top.rows.count == 3)
            var model = WatchedEvents.model([event])
            model.press([.enter])
            WatchedEvents.draw(&model)
            model.press([.end])
            try open([.character("t")], &model, storing: [event] + others)
            let lines = WatchedEvents.drawn(model)
            #expect(lines.allSatisfy { $0.displayWidth == 80 && !$0.unicodeScalars.contains { $0.value < 0x20 } })
        }
    }

    @Test("A number becomes a term for the events with an equal number, however it is written", arguments: ["1", "1.0"])
    func number(text: String) throws {
        let query = try TelemetryQuery(filter: EventField(attribute: "status").term(for: text))
        let values: [TelemetryValue] = [.int(1), .double(1), .string("1"), .string("1.0"), .int(2), .string("10")]
        #expect(
            values.map { query.matches(WatchedEvents.event(1, attributes: ["status": $0])) } == [
                true, true, true, true, false, false,
            ])
    }

    @Test("No answer is expected after the panel was closed or the filter changed")
    func unwanted() {
        var model = WatchedEvents.model(events())
        for end in [[Key.escape], [.character("q")]] {
            model.press([.character("t"), .enter])
            #expect(model.isAsking)
            model.press(end)
            #expect(!model.isAsking)
        }
        #expect(model.press(.character("c")) == .follow)
        _ = model.start(events(), hasMore: false)
        model.press([.character("t"), .enter])
        #expect(model.isAsking)
        #expect(model.receive(clients: [.init(clientId: "other", isEnabled: true)], scenarios: []) == .follow)
        #expect(!model.isAsking)
    }

    @Test("An answer that is late, or for another field, is ignored; a failure is shown; no event is no value")
    func answers() throws {
        var model = WatchedEvents.model(events())
        let keys = [Key.character("t"), .enter]
        guard case .top(let request) = model.press(keys) else {
            Issue.record("no .top")
            return
        }
        model.press([.escape])
        model.receive(try request.query.result(over: events()), for: request)
        #expect(model.top == nil)
        guard case .top(let other) = model.press([.character("t"), .down, .enter]) else {
            Issue.record("no .top")
            return
        }
        model.receive(try request.query.result(over: events()), for: request)
        #expect(WatchedEvents.drawn(model)[1].contains("[reading …]"))
        #expect(model.press(.enter) == .nothing)
        model.receiveFailure("The store is not reachable.", of: other)
        #expect(model.top == nil)
        #expect(model.message == "The store is not reachable.")
        try open(keys, &model, storing: [])
        #expect(WatchedEvents.drawn(model)[2].contains("No event matches."))
        #expect(model.press(.enter) == .nothing)
    }
}
