import Foundation
import TelemetryModels
import Testing

@testable import ViewerKit

struct WatchSearchTests {
    private func model() -> WatchModel {
        WatchedEvents.model((1...50).map { WatchedEvents.event($0, attributes: $0 == 7 ? ["reason": "disk full"] : [:]) })
    }

    @Test(
        "A find goes to the nearest older match, and n and N to the next and previous one",
        arguments: [
            ("text:~\"number 3\"", [Key.enter], "number 39"), ("text:~\"number 3\"", [.enter, .character("N")], "number 38"),
            ("text:~\"number 3\"", [.enter, .character("N"), .character("n")], "number 39"),
            ("DISK", [.enter], "number 7"), ("text:~\"^number .3$\"", [.enter], "number 43"),
            ("reason:dis*", [.enter], "number 7"),
        ])
    func find(text: String, keys: [Key], selected: String) {
        var model = model()
        model.press([.character("f")])
        model.type(text)
        model.press(keys)
        #expect(model.selected == selected)
    }

    @Test("Without a find, n and N explain it")
    func noFind() {
        var model = model()
        model.press([.character("n")])
        #expect(model.message.hasPrefix("f finds a query's events"))
        model.press([.character("f")])
        model.type("disk")
        model.press([.enter, .character("n")])
        #expect(model.message == "No later match.")
        model.press([.character("f"), .control("u"), .enter, .character("N")])
        #expect(model.message.hasPrefix("f finds a query's events"))
    }

    @Test(
        "The words of a query are found in the strings of a screen",
        arguments: [
            ("abc", "xABCabc", ["ABC", "abc"]), ("\"card declined\" or time*", "Card declined: timeout", ["declined", "time"]),
            ("-abc", "abc", []), ("*", "abc", []), ("éabc", "éABC", ["ABC"]), ("sta:>=500", "sta\u{301}=503", ["sta"]),
        ])
    func ranges(text: String, searched: String, found: [String]) throws {
        let highlighter = SearchHighlighter(try TelemetryQuery(text))
        #expect(highlighter.ranges(in: searched).map { String(searched[$0].unicodeScalars.filter { $0.value < 0x300 }) } == found)
    }

    @Test("Matches are marked in the list and in an event's details")
    func highlights() {
        var model = model()
        model.press([.character("f")])
        model.type("disk")
        model.press([.enter, .up])
        let style = Style(isOn: true)
        func lines() -> [String] { WatchView(style: style, time: TimeText(timeZone: .gmt)).lines(&model, columns: 120, rows: 24) }
        #expect(lines().contains { $0.contains(style.match("disk")) })
        model.press([.character("n"), .enter])
        #expect(lines().contains { $0.contains(style.match("disk")) })
    }

    @Test("Escape clears the search and the filter and keeps the selected event; a second one follows new events")
    func escape() {
        let events = (1...50).map { WatchedEvents.event($0) }
        var model = WatchedEvents.model(events)
        model.filter("text:=\"number 7\"", storing: events)
        model.press([.character("m")])
        model.press([.escape], storing: events)
        #expect(model.selected == "number 7")
        #expect(model.browser.count == 50)
        #expect(model.isPaused)
        model.press([.escape])
        #expect(!model.isPaused)
    }

    @Test("A paused view stays paused at its newest event if a new filter hides the selected one")
    func notKept() {
        let events = (1...50).map { WatchedEvents.event($0) }
        var model = WatchedEvents.model(events)
        model.press([.up])
        model.filter("text:*7", storing: events)
        #expect(model.selected == "number 47")
        #expect(model.isPaused)
        model.receive([WatchedEvents.event(57)], skipped: 0)
        #expect(model.selected == "number 47")
        #expect(model.newer == 1)
    }

    @Test("A search in an empty list finds nothing, and says so")
    func empty() {
        var model = WatchedEvents.model([])
        model.press([.character("f")])
        model.type("disk")
        model.press([.enter])
        #expect(model.message == "No match in the loaded events. N looks in older ones.")
    }
}
