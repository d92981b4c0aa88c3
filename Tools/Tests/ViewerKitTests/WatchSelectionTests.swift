import TelemetryModels
import Testing

@testable import ViewerKit

struct WatchSelectionTests {
    private func model(_ count: Int) -> WatchModel { WatchedEvents.model((1...count).map { WatchedEvents.event($0) }) }

    @Test(
        "Keys move the selection and keep it on the screen",
        arguments: [
            ([Key.up], "number 19", "number 20"), ([.up, .up, .down], "number 19", "number 20"),
            ([.up, .up, .up, .up, .up], "number 15", "number 19"), ([.pageUp], "number 16", "number 16"),
            ([.wheelUp], "number 17", "number 17"), ([.home], "number 1", "number 5"),
            ([.home, .pageDown], "number 5", "number 9"), ([.home, .down], "number 2", "number 5"),
            ([.up, .end], "number 20", "number 20"),
        ])
    func movement(keys: [Key], selected: String, last: String) {
        var model = model(20)
        model.press(keys)
        #expect(model.selected == selected)
        guard case .event(let event)? = model.visibleEntries(5).last else {
            Issue.record("no .event")
            return
        }
        #expect(event.property1 == last)
    }

    @Test("The selection pauses the view, and moving past the newest event follows new events again")
    func following() {
        var model = model(20)
        model.press([.up])
        #expect(model.isPaused)
        model.receive([WatchedEvents.event(21)], skipped: 0)
        #expect(model.selected == "number 19")
        model.press([.down, .down])
        #expect(model.selected == "number 21")
        model.press([.down])
        #expect(!model.isPaused)
    }

    @Test("The selected event is marked, and bookmarks are shown")
    func signs() {
        var model = model(5)
        model.press([.up, .character("m"), .up])
        let lines = WatchedEvents.drawn(model)
        #expect(lines.contains { $0.hasPrefix("▸ ") && $0.contains("number 3") })
        #expect(lines.contains { $0.hasPrefix(" ◆") && $0.contains("number 4") })
    }

    @Test("Bookmarks are set, visited in both directions, and removed")
    func bookmarks() {
        var model = model(30)
        model.press([.character("'")])
        #expect(model.message == "m sets a bookmark at the selected event.")
        model.press([.up, .character("m"), .home, .character("m"), .end, .character("[")])
        #expect(model.selected == "number 29")
        model.press([.character("[")])
        #expect(model.selected == "number 1")
        model.press([.character("]")])
        #expect(model.selected == "number 29")
        model.press([.character("'")])
        #expect(model.selected == "number 1")
        model.press([.character("m")])
        #expect(model.bookmarks.all.map(\.ordinal) == [28])
    }

    @Test("A bookmark is kept when the filter changes; one that the filter hides is reported")
    func hiddenBookmark() {
        let events = (1...30).map { WatchedEvents.event($0) }
        var model = WatchedEvents.model(events)
        model.press([.character("m")])
        model.filter("text:=\"number 12\"", storing: events)
        model.press([.character("[")])
        #expect(model.message.hasPrefix("The filter hides the event"))
        model.press([.escape], storing: events)
        model.press([.up, .character("[")])
        #expect(model.selected == "number 30")
    }

    @Test("Enter opens nothing but an event, and Space toggles a scenario")
    func enter() {
        var model = model(3)
        model.pane = .scenarios
        #expect(model.press(.enter) == .nothing)
        #expect(model.pane == .events)
        #expect(model.press(.enter) == .nothing)
        #expect(model.pager != nil)
        model.press([.enter])
        #expect(model.pager == nil)
        model.pane = .scenarios
        guard case .send(let command) = model.press(.character(" ")) else {
            Issue.record("no .send")
            return
        }
        #expect(command.action == .disableScenario)
    }

    @Test("A gap has no details")
    func gap() {
        var model = WatchedEvents.model([WatchedEvents.event(1), WatchedEvents.event(5)])
        model.press([.up, .enter])
        #expect(model.pager == nil)
        #expect(model.message == "This line is not an event.")
    }

    @Test("Events are scrolled sideways")
    func sideways() {
        var model = WatchedEvents.model([WatchedEvents.event(1, text: String(repeating: "0123456789", count: 30) + "END")])
        #expect(!WatchedEvents.drawn(model).contains { $0.contains("END") })
        for _ in 0..<30 { model.press([.character(">")]) }
        let lines = WatchedEvents.drawn(model)
        #expect(lines.contains { $0.contains("END") })
        #expect(lines.contains { $0.contains("[from column 301]") })
        for _ in 0..<30 { model.press([.shiftLeft]) }
        #expect(model.sideways == 0)
    }

    @Test("M turns the mouse wheel off, and an event's details never use it")
    func mouse() {
        var model = model(3)
        #expect(model.reportsMouse)
        model.press([.enter])
        #expect(!model.reportsMouse)
        model.press([.escape, .character("M")])
        #expect(!model.reportsMouse)
        model.press([.character("x"), .wheelDown])
        #expect(model.ending == "k7wq")
    }

    @Test(
        "Each client has its name and colour at every width",
        arguments: [(40, "no…t-1", "no…t-2"), (80, "not…host-1", "not…host-2"), (200, "notes-host-1", "notes-host-2")])
    func names(columns: Int, first: String, second: String) {
        var model = WatchedEvents.model([
            WatchedEvents.event(1, client: "notes-host-1"), WatchedEvents.event(2, client: "notes-host-2"),
        ])
        model.receive(
            clients: ["notes-host-1", "notes-host-2"].map { .init(clientId: $0, isEnabled: true) }, scenarios: [])
        let lines = WatchedEvents.drawn(model, columns: columns).suffix(20)
        #expect(lines.contains { $0.contains(first) && $0.contains("file.read") })
        #expect(lines.contains { $0.contains(second) && $0.contains("file.read") })
        let coloured = WatchView(style: Style(isOn: true)).lines(&model, columns: columns, rows: 24).suffix(20)
        #expect(coloured.contains { $0.contains(Style(isOn: true).tinted(first, by: "notes-host-1")) })
    }

    @Test(
        "Short names differ where the identifiers do",
        arguments: [
            (["k7wq", "new"], 6, ["k7wq", "new"]), (["3tf87db657", "9xk2m4qq01"], 6, ["3tf87d", "9xk2m4"]),
            (["notes-host-1", "notes-host-2"], 8, ["no…ost-1", "no…ost-2"]), (["日本語の端末", "日本語の端子"], 8, ["日本語の", "日本語の"]),
        ])
    func shortNames(identifiers: [String], width: Int, names: [String]) {
        let short = ShortNames(identifiers, width: width)
        let result = identifiers.map(short.name)
        #expect(result.allSatisfy { $0.displayWidth <= width })
        if identifiers[0].utf8.count == identifiers[0].count { #expect(result == names) }
    }

    @Test("Warnings and errors are shown as such")
    func severities() {
        let model = WatchedEvents.model([
            WatchedEvents.event(1, attributes: ["severity": "warning"]),
            WatchedEvents.event(2, attributes: ["severity": "Error"]),
        ])
        let lines = WatchedEvents.drawn(model)
        #expect(lines.contains { $0.contains("W file.read") })
        #expect(lines.contains { $0.contains("E file.read") })
    }

    @Test("The scenario's level, time left and source are shown where there is room", arguments: [80, 100, 200])
    func scenarioColumns(columns: Int) {
        let line = WatchedEvents.drawn(WatchedEvents.model([WatchedEvents.event(1)]), columns: columns)[2]
        #expect(line.contains(columns > 80 ? "diagnostic" : "diag "))
        #expect(line.contains("10 min"))
        #expect(line.contains("viewer"))
    }
}
