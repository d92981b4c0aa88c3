import Foundation
import TelemetryModels
import Testing

@testable import ViewerKit

struct WatchedSessionEndTests {
    private func report(
        _ number: Int, session: String = "0123456789abcdef", _ attributes: [String: TelemetryValue] = ["signal": "SIGSEGV"]
    ) -> TelemetryEvent {
        TelemetryEvent(
            eventId: "\(number)", clientId: "k7wq", sessionId: "s", sequence: UInt64(number), name: "telemetry.session",
            timestamp: WatchedEvents.now - 1, property1: "number \(number)",
            attributes: ["session": .string(session), "end": "killed", "lastActive": .date(WatchedEvents.now - 60)]
                .merging(attributes) { $1 })
    }

    private func events() -> [TelemetryEvent] {
        (1...50).map { $0 == 10 || $0 == 30 ? report($0) : WatchedEvents.event($0) }
    }

    @Test("The end of a session is a marked row, which opens as any event does")
    func row() {
        var model = WatchedEvents.model([WatchedEvents.event(1), report(2), WatchedEvents.event(3)])
        let line = WatchedEvents.drawn(model).first { $0.contains("ended") }
        #expect(
            line?.dropFirst(2).hasPrefix(
                "── session 01234567… ended: SIGSEGV (last active 2025-12-31 23:59:00) ──  k7wq") == true)
        model.press([.up, .enter])
        #expect(WatchedEvents.draw(&model)[1].contains("EVENT telemetry.session"))
    }

    @Test("Without a signal or a date, the row has what is known, and no control characters")
    func hostileRow() {
        for event in [report(1, session: "\u{1B}[2J", ["end": "\u{1B}[2J\n"]), report(1, session: "", ["lastActive": "x"])] {
            let lines = WatchedEvents.drawn(WatchedEvents.model([event]))
            #expect(lines.contains { $0.contains("ended: ") && $0.contains(" ──") })
            #expect(lines.allSatisfy { $0.displayWidth == 80 && !$0.unicodeScalars.contains { $0.value < 0x20 } })
        }
    }

    @Test("C shows only the ends of sessions, and Escape all events around the selected one")
    func list() {
        var model = WatchedEvents.model(events())
        model.press([.character("s")], storing: events())
        model.press([.character("C")], storing: events())
        #expect(model.severity == nil)
        #expect(model.browser.count == 2)
        #expect(WatchedEvents.drawn(model).count { $0.contains("── session 01234567… ended") } == 2)
        model.press([.up])
        #expect(model.selected == "number 10")
        model.press([.escape], storing: events())
        #expect(model.selected == "number 10")
        #expect(model.browser.count == 50)
    }
}
