import Foundation
import TelemetryModels
import Testing

@testable import ViewerKit

struct EventDetailTests {
    private let event = WatchedEvents.event(
        12, text: "first\nsecond\u{1B}[2J",
        attributes: [
            "bytes": 120, "ratio": 0.5, "ok": true, "when": .date(Date(timeIntervalSince1970: 0)),
            "body": "{\"b\":[1.50,{}],\"a\":\"x{y\"}", "path": .string(String(repeating: "/長い", count: 100)),
        ])

    @Test("Every field and attribute is shown, with types", arguments: [80, 200])
    func fields(columns: Int) {
        var model = WatchedEvents.model([event])
        model.press([.enter])
        let lines = WatchedEvents.drawn(model, columns: columns, rows: 60)
        let text = lines.joined(separator: "\n")
        for expected in [
            "─ EVENT file.read", "local time   2025-12-31 23:59:59.000", "UTC time     2025-12-31T23:59:59.000Z",
            "level        info",
            "scenario     FileRead", "client       k7wq", "session      s", "sequence     12", "identifier   12",
            "thread       7",
            "device       host", "model        arm64", "system       Linux 6", "app version  1", "   first",
            "   second\\u{1B}[2J",
            "bytes  (int)  120", "ratio  (double)  0.5", "ok  (bool)  true", "when  (date)  ", "body  (string)", "\"b\": [",
            "1.50,", "{}", "\"a\": \"x{y\"", "path  (string)",
        ] {
            #expect(text.contains(expected), "\(expected)")
        }
        #expect(lines.allSatisfy { $0.displayWidth == columns })
        #expect(lines.joined().filter { $0 == "長" }.count == 100)
    }

    @Test("The client's identifier follows its alias")
    func alias() throws {
        var model = WatchedEvents.model([event])
        model.aliases = ClientAliases(["phone": "k7wq"])
        model.press([.enter])
        #expect(WatchedEvents.drawn(model).contains { $0.contains("client       phone (k7wq)") })
    }

    @Test("Lines fit every width", arguments: [40, 61, 80, 120, 200])
    func widths(columns: Int) {
        let lines = EventDetail(event).lines(width: columns, time: TimeText(timeZone: .gmt))
        #expect(lines.allSatisfy { $0.line.text.displayWidth <= columns })
    }

    @Test("The details scroll, and other events are shown without returning to the list")
    func keys() {
        var model = WatchedEvents.model([WatchedEvents.event(11), event, WatchedEvents.event(13)])
        model.press([.up, .enter])
        _ = WatchView(style: Style(isOn: false)).lines(&model, columns: 40, rows: 12)
        model.press([.end])
        #expect(model.pager?.offset ?? 0 > 20)
        model.press([.home, .down, .pageDown])
        #expect(model.pager?.offset == 8)
        #expect(model.pager?.cursor == 8)
        model.press([.left])
        #expect(model.selected == "number 11")
        #expect(model.pager?.offset == 0)
        model.press([.character("n"), .right])
        #expect(model.selected == "number 13")
        model.press([.right])
        #expect(model.message == "This is the newest event.")
        model.press([.character("q")])
        #expect(model.pager == nil)
        #expect(model.isPaused)
    }

    @Test("y copies all of the event as text, and Y as JSON")
    func copy() throws {
        var model = WatchedEvents.model([event])
        model.press([.enter])
        guard case .copy(let text) = model.press(.character("y")) else {
            Issue.record("no .copy")
            return
        }
        #expect(text.contains("\nclient: k7wq\n"))
        #expect(text.contains("\n  path (string): \(String(repeating: "/長い", count: 100))\n"))
        #expect(!text.contains("\u{1B}"))
        #expect(model.message == "Copied \(text.utf8.count.grouped) bytes by OSC 52, if the terminal permits it.")
        guard case .copy(let json) = model.press(.character("Y")) else {
            Issue.record("no .copy")
            return
        }
        #expect(try JSONSerialization.jsonObject(with: Data(json.utf8)) is [String: Any])
    }

    @Test("The clipboard sequence is bounded, ends between characters, and passes through tmux")
    func clipboard() {
        let long = "a" + String(repeating: "長", count: 30_000)
        let sent = ClipboardSequence.sent(of: long)
        #expect(sent.utf8.count <= 65_536 && sent.utf8.count > 65_530)
        #expect(long.hasPrefix(sent))
        #expect(ClipboardSequence.bytes(for: "hi", isInTmux: false) == "\u{1B}]52;c;aGk=\u{7}")
        #expect(
            ClipboardSequence.bytes(for: "hi", isInTmux: true)
                == "\u{1B}]52;c;aGk=\u{7}\u{1B}Ptmux;\u{1B}\u{1B}]52;c;aGk=\u{7}\u{1B}\\")
        var model = WatchedEvents.model([WatchedEvents.event(1, text: long)])
        model.press([.character("y")])
        #expect(model.message.contains("of 90,"))
    }

    @Test("The selected line is visible even if it is empty")
    func emptyLine() {
        let style = Style(isOn: true)
        #expect(ScreenLine().selected(true).rendered(width: 5, style: style).hasPrefix(style.inverse(" ")))
    }

    @Test(
        "JSON objects and arrays are indented, other texts are not",
        arguments: [
            ("{\"a\":1,\"b\":[true,null]}", ["{", "  \"a\": 1,", "  \"b\": [", "    true,", "    null", "  ]", "}"]),
            (" [ ] ", ["[]"]), ("[\"a\\\"]{\"]", ["[", "  \"a\\\"]{\"", "]"]), ("{broken", nil), ("12", nil), ("", nil),
        ])
    func json(text: String, lines: [String]?) { #expect(JSONIndenter.lines(text) == lines) }

    @Test("Deeply nested and large JSON is not indented without bound")
    func hostileJSON() {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(JSONIndenter.lines(deep) == nil)
        let detail = EventDetail(WatchedEvents.event(1, text: String(repeating: "x\n", count: 50_000)))
        #expect(detail.lines(width: 80, time: TimeText()).count < 20_100)
    }
}
