public import Foundation
public import TelemetryModels

/// The state of the full-screen view, independent of terminal and store.
public struct WatchModel: Sendable {
    public enum Pane: CaseIterable, Sendable { case clients, scenarios, events }

    public var store: String
    public var now: Date
    public private(set) var clients: [TelemetryClientRecord] = []
    public internal(set) var log = EventLog()
    /// Whether all events that were stored at the start have been read.
    public var isCaughtUp = false
    /// The result of the last action.
    public var message = "" {
        didSet { messageAge = 0 }
    }
    /// By client, then by name, for fast lookup whenever the screen is drawn.
    private var allScenarios: [String: [TelemetryScenarioRecord]] = [:]
    private var enabledCounts: [String: Int] = [:]
    /// The date of each client's last event.
    private var lastEvents: [String: Date] = [:]

    /// In ticks.
    private var messageAge = 0
    var rates = RateWindow()
    var pane = Pane.clients
    var selectedClient: String?
    var selectedScenario: String?
    var isTyping = false
    var showsHelp = false
    /// The client whose telemetry ends after confirmation; nil if no confirmation is shown.
    var ending: String?
    /// While paused, a copy of the log and the number after the last entry shown. New events do not remove entries from the
    /// copy.
    private var held: (log: EventLog, end: Int)?
    private var selection = EventSelection()
    /// The number of entries that fit on the screen.
    var page = 10

    public init(store: String, now: Date) {
        self.store = store
        self.now = now
    }

    /// Replaces the clients and scenarios with the currently stored ones.
    public mutating func take(clients: [TelemetryClientRecord], scenarios: [TelemetryScenarioRecord]) {
        self.clients = clients.sorted { ($0.created, $0.clientId) < ($1.created, $1.clientId) }
        allScenarios = Dictionary(grouping: scenarios, by: \.clientId)
            .mapValues { $0.sorted { $0.scenarioName < $1.scenarioName } }
        enabledCounts = allScenarios.mapValues { $0.count(where: \.isEnabled) }
        if client == nil { selectedClient = self.clients.first?.clientId }
        if scenario == nil { selectedScenario = self.scenarios.first?.scenarioName }
        if let clientId = ending, !clients.contains(where: { $0.clientId == clientId }) { ending = nil }
        chooseClient()
    }

    public mutating func take(_ events: [TelemetryEvent], skipped: Int) {
        log.addSkipped(skipped)
        let oldest = now - TimeInterval(RateWindow.length)
        for event in events {
            log.add(event)
            let client = event.clientId ?? ""
            lastEvents[client] = max(event.timestamp, lastEvents[client] ?? .distantPast)
            // The rates need only the most recent events.
            guard event.timestamp > oldest else { continue }
            rates.add("", at: event.timestamp)
            rates.add(Self.key(client), at: event.timestamp)
            if let scenario = event.scenario { rates.add(Self.key(client, scenario), at: event.timestamp) }
        }
        if held == nil { selection.update(from: log) }
    }

    public mutating func tick(_ now: Date) {
        self.now = now
        rates.removeCounts(before: now)
        // The message disappears after a while, and the keys are shown again.
        messageAge += 1
        if messageAge > 5, !message.isEmpty { message = "" }
    }

    var client: TelemetryClientRecord? { clients.first { $0.clientId == selectedClient } }

    /// The scenarios of the selected client.
    var scenarios: [TelemetryScenarioRecord] {
        selectedClient.flatMap { allScenarios[$0] } ?? []
    }

    var scenario: TelemetryScenarioRecord? { scenarios.first { $0.scenarioName == selectedScenario } }

    func scenarioCount(of client: TelemetryClientRecord) -> (on: Int, all: Int) {
        (enabledCounts[client.clientId] ?? 0, allScenarios[client.clientId]?.count ?? 0)
    }

    func lastEvent(of client: TelemetryClientRecord) -> Date? { lastEvents[client.clientId] }

    static func key(_ client: String, _ scenario: String? = nil) -> String {
        scenario.map { "\(client)\u{0}\($0)" } ?? client + "\u{0}"
    }
}

/// Selects which events are shown.
extension WatchModel {
    var search: String {
        get { selection.search }
        set { choose(search: newValue, clientId: selection.clientId) }
    }

    /// Whether only the selected client's events are shown.
    var onlyClient: Bool { selection.clientId != nil }

    /// Whether the view is paused.
    var isPaused: Bool { held != nil }

    /// The number of new entries since the view was paused.
    var newer: Int { held.map { log.end - $0.log.end } ?? 0 }

    mutating func showOnlyClient(_ isOn: Bool) {
        choose(search: selection.search, clientId: isOn ? selectedClient : nil)
    }

    /// Updates the filter to the selected client if only one client's events are shown.
    mutating func chooseClient() { if onlyClient { showOnlyClient(true) } }

    private mutating func choose(search: String, clientId: String?) {
        selection.choose(search: search, clientId: clientId)
        selection.update(from: held?.log ?? log)
    }

    /// Shows the newest events, and follows them.
    mutating func resume() {
        held = nil
        selection.update(from: log)
    }

    /// Pauses the view.
    mutating func pause() { if held == nil { held = (log, log.end) } }

    /// Scrolls over the matching entries and pauses; at the end the view resumes.
    mutating func scroll(by step: Int) {
        let end = selection.index(of: held?.end ?? log.end)
        let target = max(end + step, min(page, selection.count))
        guard target < selection.count || step < 0 else { return resume() }
        pause()
        if target > 0, target <= selection.count { held?.end = selection[target - 1] + 1 }
    }

    /// The last matching entries that fit, oldest first.
    func visibleEntries(_ count: Int) -> [EventLog.Entry] {
        let shown = held?.log ?? log
        let end = selection.index(of: held?.end ?? log.end)
        return (max(0, end - count)..<end).map { shown[selection[$0]] }
    }
}
