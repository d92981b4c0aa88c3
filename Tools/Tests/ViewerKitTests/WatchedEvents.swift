import Foundation
import TelemetryModels
import TelemetryTransport
import Testing

@testable import ViewerKit

/// A model with events, for tests of the full-screen view.
enum WatchedEvents {
    static let now = Date(timeIntervalSince1970: 1_767_225_600)

    static func event(
        _ number: Int, client: String = "k7wq", text: String? = nil, attributes: [String: TelemetryValue] = [:],
        age: TimeInterval = 1
    ) -> TelemetryEvent {
        TelemetryEvent(
            eventId: "\(number)", clientId: client, sessionId: "s", sequence: UInt64(max(0, number)), name: "file.read",
            timestamp: now - age,
            device: .init(deviceType: "Linux", deviceName: "host", deviceModel: "arm64", osVersion: "6", appVersion: "1"),
            threadId: "7", property1: text ?? "number \(number)", attributes: attributes, scenario: "FileRead")
    }

    /// A model with the events pane active, and a page of five events.
    static func model(_ events: [TelemetryEvent]) -> WatchModel {
        var model = WatchModel(store: "/store", now: now)
        model.isCaughtUp = true
        model.receive(
            clients: [.init(clientId: "k7wq", created: now - 10, isEnabled: true)],
            scenarios: [.init(clientId: "k7wq", scenarioName: "FileRead", isEnabled: true, expires: now + 600, source: .viewer)])
        model.receive(events, skipped: 0)
        model.pane = .events
        model.page = 5
        return model
    }

    static func drawn(_ model: WatchModel, columns: Int = 80, rows: Int = 24) -> [String] {
        var model = model
        return draw(&model, columns: columns, rows: rows)
    }

    /// Draws the screen, for which the model arranges its lines.
    @discardableResult
    static func draw(_ model: inout WatchModel, columns: Int = 80, rows: Int = 24) -> [String] {
        WatchView(style: Style(isOn: false), time: TimeText(timeZone: .gmt)).lines(&model, columns: columns, rows: rows)
    }
}

extension WatchModel {
    /// Presses keys, and returns the last action.
    @discardableResult
    mutating func press(_ keys: [Key]) -> Action {
        var action = Action.nothing
        for key in keys { action = press(key) }
        return action
    }

    mutating func type(_ text: String) { press(text.map(Key.character)) }

    /// Presses keys of which the last one changes the filter, and answers as a store with these events does.
    mutating func press(_ keys: [Key], storing events: [TelemetryEvent]) {
        #expect(press(keys) == .follow)
        #expect(start(events.filter(filter.events.matches), hasMore: false) == .nothing)
    }

    /// Types a filter, and answers in the same way.
    mutating func filter(_ text: String, storing events: [TelemetryEvent]) {
        press([.character("/"), .control("u")] + text.map(Key.character) + [.enter], storing: events)
    }

    /// The entries on a screen of so many, oldest first.
    func visibleEntries(_ count: Int) -> [EventLog.Entry] { browser.visible(count).map { browser.entry($0) } }

    /// The texts of the events on the screen.
    var texts: [String?] { visibleEntries(100).map { if case .event(let event) = $0 { event.property1 } else { nil } } }

    /// The text of the selected event.
    var selected: String? { browser.current?.event.property1 }
}
