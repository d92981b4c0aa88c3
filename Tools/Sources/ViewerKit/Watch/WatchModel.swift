public import Foundation
public import TelemetryModels

/// All that the full-screen view knows; nothing in it touches a terminal or a store.
public struct WatchModel: Sendable {
    public enum Pane: CaseIterable, Sendable { case clients, scenarios, events }

    public var store: String
    public var now: Date
    public private(set) var clients: [TelemetryClientRecord] = []
    public internal(set) var log = EventLog()
    /// Whether what was stored before was read.
    public var isCaughtUp = false
    /// What became of the last thing that was asked for.
    public var message = "" {
        didSet { messageAge = 0 }
    }
    /// By client, and there by name: they are asked for whenever the screen is drawn, and may be very many.
    private var allScenarios: [String: [TelemetryScenarioRecord]] = [:]
    private var enabledCounts: [String: Int] = [:]
    /// When an event of the client last happened.
    private var lastEvents: [String: Date] = [:]

    /// In ticks.
    private var messageAge = 0
    var rates = RateWindow()
    var pane = Pane.clients
    var selectedClient: String?
    var selectedScenario: String?
    var isTyping = false
    var showsHelp = false
    /// The client whose telemetry is to be ended, while the question whether it is stands.
    var ending: String?
    /// The log as it was when the view came to stand still, and the number behind the last entry shown. What comes meanwhile
    /// takes nothing away from it.
    private var held: (log: EventLog, end: Int)?
    private var selection = EventSelection()
    /// How many entries fit, as last drawn.
    var page = 10

    public init(store: String, now: Date) {
        self.store = store
        self.now = now
    }

    /// Takes what the store says now.
    public mutating func take(clients: [TelemetryClientRecord], scenarios: [TelemetryScenarioRecord]) {
        self.clients = clients.sorted { ($0.created, $0.clientId) < ($1.created, $1.clientId) }
        allScenarios = Dictionary(grouping: scenarios, by: \.clientId)
            .mapValues { $0.sorted { $0.scenarioName < $1.scenarioName } }
        enabledCounts = allScenarios.mapValues { $0.count(where: \.isEnabled) }
        if client == nil { selectedClient = self.clients.first?.clientId }
        if scenario == nil { selectedScenario = self.scenarios.first?.scenarioName }
        if let asked = ending, !clients.contains(where: { $0.clientId == asked }) { ending = nil }
        chooseClient()
    }

    public mutating func take(_ events: [TelemetryEvent], missed: Int) {
        log.addMissed(missed)
        let oldest = now - TimeInterval(RateWindow.length)
        for event in events {
            log.add(event)
            let client = event.clientId ?? ""
            lastEvents[client] = max(event.timestamp, lastEvents[client] ?? .distantPast)
            // Of millions that were stored before, the rates want only the last.
            guard event.timestamp > oldest else { continue }
            rates.add("", at: event.timestamp)
            rates.add(Self.key(client), at: event.timestamp)
            if let scenario = event.scenario { rates.add(Self.key(client, scenario), at: event.timestamp) }
        }
        if held == nil { selection.update(from: log) }
    }

    public mutating func tick(_ now: Date) {
        self.now = now
        rates.forget(before: now)
        // The keys come back by themselves.
        messageAge += 1
        if messageAge > 5, !message.isEmpty { message = "" }
    }

    var client: TelemetryClientRecord? { clients.first { $0.clientId == selectedClient } }

    /// Those of the selected client.
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

/// Which events are shown.
extension WatchModel {
    var search: String {
        get { selection.search }
        set { choose(search: newValue, clientId: selection.clientId) }
    }

    /// Whether only the selected client's events are shown.
    var onlyClient: Bool { selection.clientId != nil }

    /// Whether the view stands still.
    var isStill: Bool { held != nil }

    /// How many entries came since the view stands still.
    var newer: Int { held.map { log.end - $0.log.end } ?? 0 }

    mutating func showOnlyClient(_ isOn: Bool) {
        choose(search: selection.search, clientId: isOn ? selectedClient : nil)
    }

    /// Follows the selected client where only one client's events are shown.
    mutating func chooseClient() { if onlyClient { showOnlyClient(true) } }

    private mutating func choose(search: String, clientId: String?) {
        selection.choose(search: search, clientId: clientId)
        selection.update(from: held?.log ?? log)
    }

    /// Shows what is newest, and goes on with it.
    mutating func goOn() {
        held = nil
        selection.update(from: log)
    }

    /// Stands still at what is shown.
    mutating func stand() { if held == nil { held = (log, log.end) } }

    /// Moves the view over entries that pass the filter, and stands still there; at the end it goes on.
    mutating func scroll(by step: Int) {
        let end = selection.index(of: held?.end ?? log.end)
        let target = max(end + step, min(page, selection.count))
        guard target < selection.count || step < 0 else { return goOn() }
        stand()
        if target > 0, target <= selection.count { held?.end = selection[target - 1] + 1 }
    }

    /// The last entries that pass the filter, as many as fit, oldest first.
    func visibleEntries(_ count: Int) -> [EventLog.Entry] {
        let shown = held?.log ?? log
        let end = selection.index(of: held?.end ?? log.end)
        return (max(0, end - count)..<end).map { shown[selection[$0]] }
    }
}
