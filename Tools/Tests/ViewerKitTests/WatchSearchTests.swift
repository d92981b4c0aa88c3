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
            ("number 3", false, [Key.enter], "number 39"), ("number 3", false, [.enter, .character("N")], "number 38"),
            ("number 3", false, [.enter, .character("N"), .character("n")], "number 39"), ("DISK", false, [.enter], "number 7"),
            ("^number .3$", true, [.enter], "number 43"), ("reason=d", true, [.enter], "number 7"),
        ])
    func find(text: String, isExpression: Bool, keys: [Key], selected: String) {
        var model = model()
        model.press([.character("f")])
        if isExpression { model.press([.control("r")]) }
        model.type(text)
        model.press(keys)
        #expect(model.selected == selected)
    }

    @Test("Without a find, n and N use the filter; without both, a message explains them")
    func filterMatches() {
        var model = model()
        model.press([.character("n")])
        #expect(model.message.hasPrefix("f finds a text"))
        model.press([.character("/")])
        model.type("number 4")
        model.press([.enter, .character("N")])
        #expect(model.selected == "number 48")
        model.press([.character("n"), .character("n")])
        #expect(model.message == "No later match.")
    }

    @Test("The prompt shows whether the text is a regular expression, and an invalid one changes nothing")
    func invalid() {
        var model = model()
        model.press([.character("/"), .control("r")])
        model.type("number 1[")
        let lines = WatchedEvents.drawn(model)
        #expect(lines.last?.hasPrefix(" filter regular expression: number 1[▏ not valid; Ctrl-R: text") == true)
        #expect(lines.contains { $0.hasPrefix("─ EVENTS filter regex: number 1 ") })
        #expect(model.browser.selection.count == 11)
        model.press([.enter])
        #expect(model.prompt != nil)
        model.type("02]$")
        #expect(model.browser.selection.count == 2)
        model.press([.enter])
        #expect(model.prompt == nil)
    }

    @Test("An expression that takes too long for one event or for all is bounded and reported", arguments: [17, 60])
    func slowExpression(length: Int) {
        var model = WatchedEvents.model(
            (1...2_000).map { WatchedEvents.event($0, text: String(repeating: "a", count: length) + "b") })
        model.press([.character("/"), .control("r")])
        model.type("(a+)+$")
        #expect(model.browser.selection.isTooSlow)
        #expect(model.message.hasPrefix("The expression takes too long"))
        model.press([.escape])
        #expect(model.browser.selection.count == 2_000)
        model.press([.character("f"), .control("r")])
        model.type("(a+)+$")
        model.press([.enter])
        #expect(model.message.hasPrefix("The expression takes too long"))
        #expect(WatchedEvents.drawn(model).count == 24)
    }

    @Test(
        "The places where a pattern matches are found",
        arguments: [
            ("ab", false, "xABab", ["AB", "ab"]), ("a+", true, "aabA", ["aa", "A"]), ("x*", true, "aab", []),
            ("é", false, "É", ["É"]),
            ("", false, "abc", []),
        ])
    func ranges(text: String, isExpression: Bool, searched: String, found: [String]) throws {
        let pattern = try EventPattern(text, isExpression: isExpression, limits: .view)
        #expect(pattern.ranges(in: searched).map { String(searched[$0]) } == found)
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
        var model = model()
        model.press([.character("/")])
        model.type("disk")
        model.press([.enter, .character("m"), .escape])
        #expect(model.selected == "number 7")
        #expect(model.browser.selection.count == 50)
        model.press([.escape])
        #expect(!model.isPaused)
    }
}
