import Foundation
import TelemetryModels
import TelemetryTransport
import Testing

@testable import ViewerKit

struct WatchModelTests {
    private static let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func model(events: Int = 0) -> WatchModel {
        var model = WatchModel(store: "/store", now: Self.now)
        model.isCaughtUp = true
        model.receive(
            clients: [
                .init(clientId: "k7wq", created: Self.now - 10, isEnabled: true),
                .init(clientId: "new", created: Self.now - 5, isEnabled: false),
            ],
            scenarios: [
                .init(clientId: "k7wq", scenarioName: "Checksum", isEnabled: false),
                .init(clientId: "k7wq", scenarioName: "FileRead", isEnabled: true),
            ])
        if events > 0 { model.receive((1...events).map { event($0) }, skipped: 0) }
        return model
    }

    private func event(_ number: Int, sequence: Int? = nil) -> TelemetryEvent {
        TelemetryEvent(
            eventId: "\(number)", clientId: "k7wq", sessionId: "s", sequence: UInt64(sequence ?? number), name: "file.read",
            timestamp: Self.now - 1, property1: "number \(number)", scenario: "FileRead")
    }

    private func drawn(_ model: WatchModel, columns: Int = 72, rows: Int = 12) -> [String] {
        var model = model
        return WatchView(style: Style(isOn: false), time: TimeText(timeZone: .gmt)).lines(&model, columns: columns, rows: rows)
    }

    private func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }

    @Test("The screen shows clients, scenarios and events")
    func golden() {
        #expect(
            drawn(model(events: 2)).map(trimmed) == [
                " telemetry  /store  2 clients · 2 events · 1.0/s (2 s mean)",
                "─ CLIENTS ──────────────────┬─ SCENARIOS of k7wq ───────────────────────",
                " ▸ k7wq      1/2 on 1.0/s   │ ▸ Checksum off",
                "   new       pending (a)    │   FileRead on  diagnostic       █ 1.0/s",
                "                            │",
                "─ EVENTS ───────────────────────────────────────────────────────────────",
                "  23:59:59.000 k7wq       FileRead         file.read  number 1",
                "  23:59:59.000 k7wq       FileRead         file.read  number 2",
                "", "", "",
                " Tab pane Space on/off a approve x end / filter p pause ? keys q quit",
            ])
    }

    @Test("A request is one line, of which the end of the path is cut rather than the status")
    func request() {
        var model = model()
        model.receive(
            [
                TelemetryEvent(
                    eventId: "1", clientId: "k7wq", sessionId: "s", sequence: 1, name: "request.finished",
                    timestamp: Self.now - 1,
                    attributes: [
                        "method": "GET", "host": "api.example.com", "path": "/users/{id}", "status": 404, "duration": 0.0431,
                        "requestBytes": 5, "responseBytes": 20,
                    ], scenario: "Net")
            ], skipped: 0)
        #expect(
            trimmed(drawn(model, columns: 100)[6])
                == "  23:59:59.000 k7wq       Net              request.finished  GET api.example.com/…  404  43 ms  20 B")
        #expect(
            trimmed(drawn(model, columns: 150)[6])
                == "  23:59:59.000 k7wq         Net                    request.finished      "
                + "GET api.example.com/users/{id}  404  43 ms  20 B  requestBytes=5")
    }

    @Test(
        "Every line is as wide as the screen, at every size",
        arguments: [(80, 24), (40, 10), (200, 60), (39, 9), (61, 13), (110, 30)])
    func sizes(columns: Int, rows: Int) {
        for keys in [
            [], [.tab, .tab], [.pageUp, .enter], [.character("?")], [.character("f")], [.character(">")], [.character("t")],
        ] as [[Key]] {
            var model = model(events: 100)
            model.press(keys)
            let lines = drawn(model, columns: columns, rows: rows)
            #expect(lines.count == rows)
            #expect(lines.allSatisfy { $0.displayWidth == columns })
        }
    }

    @Test("Keys toggle the selected scenario and approve the selected client")
    func commands() {
        var model = model()
        #expect(model.press(.character("q")) == .quit)
        #expect(model.press(.interrupt) == .quit)
        _ = model.press(.tab)
        _ = model.press(.down)
        guard case .send(let off) = model.press(.character(" ")) else {
            Issue.record("no .send")
            return
        }
        #expect((off.clientId, off.action, off.scenarioName) == ("k7wq", .disableScenario, "FileRead"))
        guard case .send(let capture) = model.press(.character("r")) else {
            Issue.record("no .send")
            return
        }
        #expect((capture.clientId, capture.action, capture.scenarioName) == ("k7wq", .captureScenario, "FileRead"))
        _ = model.press(.left)
        _ = model.press(.down)
        guard case .send(let approve) = model.press(.character("a")) else {
            Issue.record("no .send")
            return
        }
        #expect((approve.clientId, approve.action) == ("new", .enable))
    }

    @Test("A paused view does not move when events arrive, and End resumes it")
    func pause() {
        func last(_ model: WatchModel) -> String? {
            guard case .event(let event)? = model.visibleEntries(5).last else { return nil }
            return event.property1
        }
        var model = model(events: 20)
        model.page = 5
        _ = model.press(.character("p"))
        model.receive([event(21)], skipped: 0)
        #expect(last(model) == "number 20")
        _ = model.press(.pageUp)
        #expect(last(model) == "number 16")
        _ = model.press(.home)
        #expect(last(model) == "number 5")
        _ = model.press(.pageDown)
        #expect(last(model) == "number 9")
        _ = model.press(.end)
        #expect(last(model) == "number 21")
    }

    @Test("Gaps are shown where events are missing")
    func gaps() {
        var model = model()
        model.receive([event(1), event(2, sequence: 5)], skipped: 7)
        let lines = drawn(model)
        #expect(lines[6].hasPrefix("  ⋯ 7 events no longer stored"))
        #expect(lines[8].hasPrefix("  ⋯ 3 events missing: k7wq, session s"))
        #expect(lines[0].contains("10 missing"))
        model.receive([event(1, sequence: 3)], skipped: 0)
        #expect(drawn(model)[0].contains("9 missing"))
    }

    @Test("Dropped events are shown and counted")
    func drops() {
        var model = model()
        model.receive(
            [
                .init(
                    clientId: "k7wq", sessionId: "s", sequence: 3, name: TelemetryEvent.dropReportName,
                    attributes: ["overflow": 12])
            ], skipped: 0)
        let lines = drawn(model)
        #expect(lines[0].contains("12 dropped"))
        #expect(lines[6].hasPrefix("  ⋯ 12 events dropped by the logger of k7wq: overflow=12"))
    }

    @Test("A client's telemetry is ended only after confirmation with y")
    func ending() {
        var model = model()
        #expect(model.press(.character("x")) == .nothing)
        #expect(drawn(model).last?.hasPrefix(" End the telemetry of k7wq? This deletes all its data.") == true)
        #expect(drawn(model, columns: 80).last?.contains("y: yes, other keys: no") == true)
        #expect(drawn(model, columns: 40).last?.contains("End and delete k7wq? y confirms") == true)
        #expect(model.press(.enter) == .nothing)
        #expect(model.message == "Nothing changed.")
        _ = model.press(.character("x"))
        guard case .send(let command) = model.press(.character("y")) else {
            Issue.record("no .send")
            return
        }
        #expect((command.clientId, command.action) == ("k7wq", .disable))
        _ = model.press(.character("x"))
        model.receive(clients: [], scenarios: [])
        #expect(model.press(.character("y")) == .nothing)
    }

    @Test("A paused view keeps its contents when more events arrive than the log keeps")
    func stillness() {
        func last(_ model: WatchModel) -> String? {
            guard case .event(let event)? = model.visibleEntries(5).last else { return nil }
            return event.property1
        }
        var model = model(events: 100)
        model.page = 5
        _ = model.press(.character("p"))
        for start in stride(from: 101, to: 30_000, by: 1_000) {
            model.receive((start..<start + 1_000).map { event($0) }, skipped: 0)
        }
        #expect(last(model) == "number 100")
        #expect(model.newer == 30_000)
        _ = model.press(.home)
        #expect(last(model) == "number 5")
        _ = model.press(.end)
        #expect(last(model) == "number 30100")
        _ = model.press(.home)
        #expect(model.visibleEntries(5).count == 5)
    }

    @Test("A filter without matches works at every scroll position")
    func emptyFilter() {
        var model = model(events: 11_000)
        model.filter("nowhere", storing: [])
        model.press([.home, .pageUp, .pageDown, .end])
        #expect(model.visibleEntries(10).isEmpty)
        #expect(drawn(model)[6].hasPrefix(" No event matches the filter; Esc clears it."))
        #expect(model.press(.escape) == .follow)
        #expect(drawn(model)[6].hasPrefix(" Reading stored events …"))
    }

    @Test("Only the selected client's events are shown, and the selection can change")
    func onlyClient() {
        let events = (1...3).map { event($0) } + [.init(clientId: "new", sessionId: "t", sequence: 1, name: "other")]
        var model = model()
        model.receive(events, skipped: 0)
        model.press([.character("c")], storing: events)
        #expect(model.visibleEntries(10).count == 3)
        model.press([.down], storing: events)
        #expect(model.visibleEntries(10).count == 1)
        #expect(model.receive(clients: [.init(clientId: "k7wq", isEnabled: true)], scenarios: []) == .follow)
        #expect(model.filter.events.clientId == "k7wq")
        model.press([.escape], storing: events)
        #expect(model.visibleEntries(10).count == 4)
    }

    @Test("The help explains the keys, and any key closes it")
    func help() {
        var model = model()
        _ = model.press(.character("?"))
        #expect(drawn(model)[1].hasPrefix("─ KEYS"))
        _ = model.press(.character("q"))
        #expect(drawn(model)[5].hasPrefix("─ EVENTS"))
    }

    @Test(
        "Wide characters, control characters and long texts do not change the width of a line", arguments: [40, 59, 80, 130, 200])
    func hostileTexts(columns: Int) {
        var model = model()
        let texts = ["日本語のテキスト、とても長い", "👩‍👩‍👧‍👦 🇩🇪 ☎️ e\u{301}", "\u{202E}\u{1B}[2J\t\n", String(repeating: "長", count: 99), ""]
        for (number, text) in texts.enumerated() {
            model.receive(
                [
                    .init(
                        clientId: text, sessionId: text, sequence: UInt64(number), name: text + text + text, property1: text,
                        attributes: [text: .string(text)], scenario: text)
                ], skipped: number)
        }
        model.receive(
            clients: texts.map { .init(clientId: $0, isEnabled: true) },
            scenarios: texts.map { .init(clientId: texts[0], scenarioName: $0, isEnabled: true) })
        for keys in [[], [.pageUp, .enter], [.character(">")], [.up, .up, .enter]] as [[Key]] {
            var model = model
            model.press(keys)
            let lines = drawn(model, columns: columns, rows: 30)
            #expect(lines.allSatisfy { $0.displayWidth == columns })
            #expect(lines.allSatisfy { line in !line.unicodeScalars.contains { $0.value < 32 || $0 == "\u{202E}" } })
        }
    }

    @Test("Without clients, no key is suggested that needs one")
    func noClients() {
        var model = WatchModel(store: "/store", now: Self.now)
        model.isCaughtUp = true
        #expect(drawn(model).contains { $0.hasPrefix(" No events.  ") })
        model.receive(clients: [.init(clientId: "k7wq", isEnabled: false)], scenarios: [])
        #expect(drawn(model).contains { $0.hasPrefix(" No events. Press a to approve the selected client.") })
    }

    @Test("A window that is too small shows how large it has to be", arguments: [24, 39])
    func smallWindow(columns: Int) {
        let lines = drawn(WatchModel(store: "/store", now: Self.now), columns: columns, rows: 2)
        #expect(lines.map { $0.prefix { $0 != "." } } == ["The window is too small", "Minimum: 40 × 10"])
    }

    @Test("A long store path is truncated to leave room for the counts")
    func longPath() {
        var model = WatchModel(store: "/" + String(repeating: "deep/", count: 40) + "store", now: Self.now)
        let lines = WatchView(style: Style(isOn: false)).lines(&model, columns: 80, rows: 24)
        #expect(lines[0].contains("deep/store  0 clients · 0 events"))
    }
}
