import TelemetryModels
import Testing
import ViewerKit

struct TextTests {
    @Test(
        "A duration is parsed as seconds",
        arguments: [
            ("500ms", 0.5), ("10s", 10), ("2m", 120), ("1.5h", 5_400), ("3d", 259_200), ("7", 7),
        ])
    func parsedDurations(text: String, seconds: Double) { #expect(DurationText.seconds(text) == seconds) }

    @Test("An invalid duration is rejected", arguments: ["", "s", "-5s", "10x", "1e3s", "ten", "99999999999"])
    func invalidDurations(text: String) { #expect(DurationText.seconds(text) == nil) }

    @Test(
        "A duration is formatted in a suitable unit",
        arguments: [
            (0.012, "12 ms"), (0.5, "0.5 s"), (9.99, "10 s"), (119, "119 s"), (600, "10 min"), (7_200, "2 h"),
            (172_800, "2 days"),
        ])
    func formattedDurations(seconds: Double, text: String) { #expect(DurationText.string(seconds: seconds) == text) }

    @Test(
        "A compact duration is parsed as the same number of seconds",
        arguments: [
            (0.5, "500ms"), (1, "1s"), (1.5, "1500ms"), (90, "90s"), (300, "5m"), (3_600, "1h"), (5_400, "90m"),
            (172_800, "2d"), (0.25001, "0.25001s"),
        ] as [(Double, String)])
    func compactDurations(seconds: Double, text: String) {
        #expect(DurationText.compact(seconds: seconds) == text)
        #expect(DurationText.seconds(text) == seconds)
    }

    @Test(
        "Control characters are escaped",
        arguments: [
            ("plain ü 漢", "plain ü 漢"), ("a\u{1B}[31mb", "a\\u{1B}[31mb"), ("a\nb\tc\r", "a\\nb\\tc\\r"),
            ("\u{9B}x", "\\u{9B}x"), ("a\u{202E}b", "a\\u{202E}b"),
        ])
    func visible(text: String, shown: String) { #expect(text.visible == shown) }

    @Test(
        "The width of a text is its number of terminal columns",
        arguments: [("abc", 3), ("漢字", 4), ("e\u{301}", 1), ("🙂", 2), ("", 0)])
    func widths(text: String, width: Int) { #expect(text.displayWidth == width) }

    @Test(
        "A text that is too wide is truncated with an ellipsis",
        arguments: [
            ("abcdef", 4, "abc…"), ("abc", 3, "abc"), ("漢字漢字", 5, "漢字…"), ("漢字漢字", 4, "漢…"), ("abc", 0, ""),
            ("漢字", 4, "漢字"), ("éééé", 4, "éééé"), ("é🙂é", 4, "é🙂é"), ("é🙂éé", 4, "é🙂…"), ("🙂🙂", 2, "…"),
        ])
    func fitting(text: String, width: Int, result: String) { #expect(text.fitted(to: width) == result) }

    @Test(
        "A search is case-insensitive, also for non-ASCII text",
        arguments: [
            ("HOSTS", true), ("etc/h", true), ("ÜBER", true), ("step", true), ("bytes", true), ("120", true), ("filerÉad", true),
            ("hostss", false), ("\u{0}", false),
        ])
    func search(text: String, isFound: Bool) {
        let event = TelemetryEvent(
            sessionId: "s", name: "Step", property1: "/etc/hosts über", attributes: ["bytes": 120], scenario: "FileRéad")
        #expect(EventSearch(text).matches(event) == isFound)
    }

    @Test("A long cell neither widens the other rows nor hides the cells after it")
    func longCell() {
        var table = Table(["client", "state"])
        table.add([.init(String(repeating: "x", count: 1_000_000)), "waits"])
        table.add(["k7wq", "approved"])
        let lines = table.lines(style: Style(isOn: false))
        #expect(lines[1].utf8.count == 1_000_007)
        #expect(lines[2] == "k7wq".padded(to: 48) + "  approved")
        let shown = table.lines(style: Style(isOn: false), width: 80)
        #expect(shown[1] == String(repeating: "x", count: 47) + "…  waits")
        #expect(shown[2] == lines[2])
    }

    @Test(
        "A list of names has the first eight in alphabetical order, and the number of the others",
        arguments: [
            ([], ""), (["b", "a\u{1B}"], "a\\u{1B}, b"), ((1...8).map(String.init), "1, 2, 3, 4, 5, 6, 7, 8"),
            ((1...1_009).map { "\($0)" }, "1, 10, 100, 1000, 1001, 1002, 1003, 1004 and 1,001 more"),
            ([String(repeating: "x", count: 41)], String(repeating: "x", count: 39) + "…"),
        ])
    func nameList(names: [String], text: String) { #expect(names.nameList == text) }

    @Test("Numbers have thousands separators", arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567")])
    func grouped(number: Int, text: String) { #expect(number.grouped == text) }
}
