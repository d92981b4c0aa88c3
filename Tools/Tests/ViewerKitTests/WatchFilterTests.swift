import Foundation
import TelemetryModels
import Testing

@testable import ViewerKit

/// Tests of the severities that the full-screen view shows, and of the names that it uses for clients.
struct WatchFilterTests {
    private static let words = ["debug", "info", "warn", "error", "critical"]

    private func events() -> [TelemetryEvent] {
        Self.words.enumerated().map { WatchedEvents.event($0 + 1, text: $1, attributes: ["severity": .string($1)]) }
    }

    private func shown(_ model: WatchModel) -> [String?] {
        model.visibleEntries(10).map { entry in
            if case .event(let event) = entry { event.property1 } else { nil }
        }
    }

    @Test("s shows info, warning, and error and above in turn, then all again; Escape shows all")
    func key() {
        var model = WatchedEvents.model(events())
        #expect(shown(model) == Self.words)
        for expected in [
            ["info", "warn", "error", "critical"], ["warn", "error", "critical"], ["error", "critical"], Self.words,
        ] {
            model.press([.character("s")])
            #expect(shown(model) == expected)
        }
        model.press([.character("s"), .character("s")])
        #expect(WatchedEvents.drawn(model).contains { $0.contains("EVENTS [warning and above]") })
        #expect(model.message == "Only events of severity warning and above.")
        model.press([.character("/")])
        model.type("critical")
        model.press([.enter])
        #expect(shown(model) == ["critical"])
        model.press([.escape])
        #expect(shown(model) == Self.words)
    }

    @Test("The severity can be given at the start, and new events are selected by it")
    func start() {
        var model = WatchModel(store: "/store", now: WatchedEvents.now, severity: .error)
        model.take(events(), skipped: 3)
        #expect(shown(model) == ["error", "critical"])
        model.take([WatchedEvents.event(9, text: "late", attributes: ["severity": "fatal"])], skipped: 0)
        #expect(shown(model) == ["error", "critical", "late"])
    }

    @Test("A client's alias is shown in every part of the screen and in messages", arguments: [40, 80, 200])
    func alias(columns: Int) {
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
        model.press([.character("x")])
        #expect(WatchedEvents.drawn(model, columns: columns).last?.contains("phone?") == true)
    }

    @Test("A client without recent events shows when its record was last updated")
    func lastSeen() {
        var model = WatchedEvents.model([])
        model.take(
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
