import Foundation
@_spi(Tooling) import TelemetryModels
import TelemetryTransport
import Testing

@testable import ViewerKit

/// Tests of the severities that the full-screen view shows, and of the names that it uses for clients.
struct WatchFilterTests {
    private static let words = ["debug", "info", "warn", "error", "critical"]

    private func events() -> [TelemetryEvent] {
        Self.words.enumerated().map { WatchedEvents.event($0 + 1, text: $1, attributes: ["severity": .string($1)]) }
    }

    @Test("s shows info, warning, and error and above in turn, then all again; Escape shows all")
    func key() {
        let events = events()
        var model = WatchedEvents.model(events)
        #expect(model.texts == Self.words)
        for expected in [
            ["info", "warn", "error", "critical"], ["warn", "error", "critical"], ["error", "critical"], Self.words,
        ] {
            model.press([.character("s")], storing: events)
            #expect(model.texts == expected)
        }
        for _ in 0..<2 { model.press([.character("s")], storing: events) }
        #expect(WatchedEvents.drawn(model).contains { $0.contains("EVENTS [3 match] [warning and above]") })
        #expect(model.message == "Only events of severity warning and above.")
        model.filter("critical", storing: events)
        #expect(model.texts == ["critical"])
        model.press([.escape], storing: events)
        #expect(model.texts == Self.words)
    }

    @Test("The severity can be given at the start, and new events are selected by it")
    func start() throws {
        var model = WatchModel(store: "/store", now: WatchedEvents.now, filter: try WatchFilter(.all, severity: .error))
        #expect(model.filter.events.query == (try TelemetryQuery("severity:>=error")))
        #expect(model.receive(events(), skipped: 3) == 2)
        model.receive([WatchedEvents.event(9, text: "late", attributes: ["severity": "fatal"])], skipped: 0)
        #expect(model.texts == ["error", "critical", "late"])
    }

    @Test("The query of the command line, the severity, the client and the typed query are one filter of the store")
    func oneFilter() throws {
        let base = TelemetryEventFilter(since: WatchedEvents.now, query: try TelemetryQuery("a or b"))
        var model = WatchModel(store: "/store", now: WatchedEvents.now, filter: WatchFilter(base))
        model.receive(clients: [.init(clientId: "k7wq", isEnabled: true)], scenarios: [])
        #expect(model.press([.character("s")]) == .follow)
        #expect(model.press([.character("c")]) == .follow)
        model.press([.character("/")])
        model.type("-status:=200 or timeout")
        #expect(model.press(.enter) == .follow)
        #expect(
            model.filter.events
                == TelemetryEventFilter(
                    clientId: "k7wq", since: WatchedEvents.now,
                    query: try TelemetryQuery("(a or b) severity:>=info (-status:=200 or timeout)")))
        #expect(model.press(.escape) == .follow)
        #expect(model.filter.events == base)
        #expect(model.press(.escape) == .nothing)
    }

    @Test("New events are shown if they match; the rates count all of them")
    func newEvents() {
        var model = WatchedEvents.model([])
        model.filter("text:*4", storing: [])
        model.receive((1...25).map { WatchedEvents.event($0) }, skipped: 0)
        #expect(model.texts == ["number 4", "number 14", "number 24"])
        #expect(model.rates.rate(of: "", at: model.now) == 12.5)
    }

    @Test("The numbers of dropped and of removed events stay when the filter changes, and count what it hides")
    func losses() {
        func drop(_ number: Int) -> TelemetryEvent {
            TelemetryEvent(
                clientId: "k7wq", sessionId: "d", sequence: UInt64(number), name: "telemetry.dropped",
                attributes: ["overflow": 5])
        }
        func header(_ model: WatchModel) -> String { WatchedEvents.drawn(model, columns: 120)[0] }
        var model = WatchedEvents.model([drop(1)])
        model.receive([WatchedEvents.event(1)], skipped: 7)
        #expect(header(model).contains("7 missing · 5 dropped"))
        model.filter("number", storing: [drop(1), WatchedEvents.event(1)])
        #expect(header(model).contains("7 missing · 5 dropped"))
        model.receive([drop(2)], skipped: 2)
        #expect(header(model).contains("9 missing · 10 dropped"))
        model.press([.escape], storing: [drop(1), WatchedEvents.event(1), drop(2)])
        #expect(header(model).contains("9 missing · 10 dropped"))
    }

    @Test("The title counts the stored events that match, and the new ones as they arrive")
    func count() {
        var model = WatchedEvents.model([])
        func title() -> String? { WatchedEvents.drawn(model).first { $0.hasPrefix("─ EVENTS") } }
        #expect(title()?.contains("match") == false)
        model.filter("number", storing: (1...3).map { WatchedEvents.event($0) })
        #expect(title()?.contains("[3 match]") == true)
        #expect(!model.isCountWanted)
        #expect(model.press([.character("s")]) == .follow)
        #expect(title()?.contains("match") == false)
        _ = model.start((1...3).map { WatchedEvents.event($0) }, hasMore: true)
        #expect(model.isCountWanted)
        model.receive(matching: 12_345)
        model.receive([WatchedEvents.event(4), WatchedEvents.event(5, text: "other")], skipped: 0)
        #expect(title()?.contains("[12,346 match]") == true)
        #expect(!model.isCountWanted)
    }

    @Test(
        "A wrong query is explained with a mark under the place, and the prompt stays",
        arguments: [
            ("status:>abc", "Expected a number or a date.", 17), ("a (b", "The parenthesis is not closed.", 11),
            ("a | top name", "Expected a filter without pipes.", 11), ("\u{1B} \"", "The quotation is not closed.", 16),
        ])
    func wrongQuery(text: String, message: String, column: Int) {
        var model = WatchedEvents.model((1...30).map { WatchedEvents.event($0) })
        model.press([.character("/")])
        model.type(text)
        #expect(model.press(.enter) == .nothing)
        for columns in [40, 80] {
            let lines = WatchedEvents.drawn(model, columns: columns)
            #expect(lines.count == 24)
            #expect(lines.allSatisfy { $0.displayWidth == columns })
            #expect(lines[21].hasPrefix(" \(message)"))
            #expect(lines[22].hasPrefix(" filter: \(text.visible)▏"))
            #expect(lines[23].hasPrefix(String(repeating: " ", count: column) + "^"))
        }
        model.press([.control("u")])
        #expect(WatchedEvents.drawn(model).last?.hasPrefix(" filter: ▏") == true)
        model.press([.escape])
        #expect(model.texts.count == 30)
        #expect(model.prompt == nil)
    }

    @Test("A query that is too long together with the other conditions is refused, and the filter stays")
    func tooLong() {
        var model = WatchedEvents.model([])
        #expect(model.press(.character("s")) == .follow)
        model.press([.character("/")])
        model.type(Array(repeating: "a", count: 64).joined(separator: " "))
        #expect(model.press(.enter) == .nothing)
        #expect(model.prompt?.error?.message == "A query has at most 64 terms.")
        #expect(model.prompt?.error?.offset == 127)
        #expect(WatchedEvents.drawn(model).last?.prefix { $0 == " " }.count == 75)
        #expect(model.filter.conditions.query == .all)
    }

    @Test("A text is taken until it is too long for a query, and the mark under a long text stays on the screen")
    func longText() {
        var model = WatchedEvents.model([])
        model.press([.character("/")])
        model.type(String(repeating: "é", count: 20_000))
        #expect(model.prompt?.text.utf8.count == 4_098)
        #expect(model.press([.home, .enter]) == .nothing)
        for columns in [40, 80] {
            let lines = WatchedEvents.drawn(model, columns: columns)
            #expect(lines[21].hasPrefix(" A query has at most 4096 bytes."))
            #expect(lines[23].hasSuffix("^"))
            #expect(lines.allSatisfy { $0.displayWidth == columns })
        }
        model.press([.end])
        #expect(WatchedEvents.drawn(model)[22...].contains { $0.contains("é▏") })
    }

    @Test("The text of the prompt can be changed at every place")
    func editing() {
        var model = WatchedEvents.model([])
        model.press([.character("/")])
        model.type("status:>500")
        model.press([.left, .left, .left, .character("="), .home, .character("-"), .right, .left, .end, .backspace])
        #expect(model.prompt?.text == "-status:>=50")
        #expect(model.press(.enter) == .follow)
        model.press([.character("/")])
        #expect(model.prompt?.text == "-status:>=50")
    }

    @Test("A query is evaluated at Enter only, and gaps are not looked for among events that it selects")
    func gaps() {
        var model = WatchedEvents.model([WatchedEvents.event(1), WatchedEvents.event(4)])
        #expect(model.texts == ["number 1", nil, "number 4"])
        model.press([.character("/")])
        model.type("text:*4")
        #expect(model.texts == ["number 1", nil, "number 4"])
        model.filter("text:* -text:*2", storing: [1, 4].map { WatchedEvents.event($0) })
        #expect(model.texts == ["number 1", "number 4"])
        #expect(model.log.missing == 0)
    }

    @Test("A client's alias is shown in every part of the screen and in messages", arguments: [40, 80, 200])
    func alias(columns: Int) throws {
        var model = WatchedEvents.model([WatchedEvents.event(1), WatchedEvents.event(4)])
        model.aliases = ClientAliases(["phone": "k7wq"])
        let lines = WatchedEvents.drawn(model, columns: columns)
        #expect(lines[1].contains("SCENARIOS of phone"))
        #expect(lines[2].contains("▸ phon"))
        #expect(lines.contains { $0.contains("missing: phone, session s") })
        #expect(lines.contains { $0.contains(" phone ") && $0.contains("file.read") })
        #expect(!lines.contains { $0.contains("k7wq") })
        model.press([.enter])
        #expect(WatchedEvents.drawn(model, columns: columns).contains { $0.contains("phone (k7wq)") })
        model.press([.escape, .character("a")])
        #expect(model.message == "phone is already approved.")
        model.top = WatchTop(
            .init(columns: ["client", "count()"], rows: [[.string("k7wq"), .int(2)]], matched: 2),
            for: try TopRequest(.client, filter: .all))
        #expect(WatchedEvents.drawn(model, columns: columns)[2].hasPrefix("▸ phone "))
        #expect(model.top?.term == "\"client\":=\"k7wq\"")
        model.top = nil
        model.press([.character("x")])
        #expect(WatchedEvents.drawn(model, columns: columns).last?.contains("phone?") == true)
    }

    @Test("A client without recent events shows when its record was last updated")
    func lastSeen() {
        var model = WatchedEvents.model([])
        model.receive(
            clients: [
                .init(clientId: "k7wq", created: WatchedEvents.now - 9_000, isEnabled: true, lastSeen: WatchedEvents.now - 300)
            ], scenarios: [])
        #expect(WatchedEvents.drawn(model)[2].contains("5m ago"))
    }

    @Test("Short names are those of the aliases")
    func shortNames() {
        let aliases = ClientAliases(["checkout-1": "a", "checkout-2": "b"])
        let short = ShortNames(["a", "b", "c"], width: 8, aliases: aliases)
        #expect(["a", "b", "c"].map(short.name) == ["ch…out-1", "ch…out-2", "c"])
    }
}
