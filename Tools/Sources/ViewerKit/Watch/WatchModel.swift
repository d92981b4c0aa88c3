public import Foundation
public import TelemetryModels

/// All that the full-screen view knows; nothing in it touches a terminal or a store.
public struct WatchModel: Sendable {
    public enum Pane: CaseIterable, Sendable { case clients, scenarios, events }

    public var store: String
    public var now: Date
    public private(set) var clients: [TelemetryClientRecord] = []
    public internal(set) var log = EventLog()
    /// What became of the last thing that was asked for.
    public var message = "" {
        didSet { messageAge = 0 }
    }
    private var allScenarios: [TelemetryScenarioRecord] = []

    /// In ticks.
    private var messageAge = 0
    var rates = RateWindow()
    var pane = Pane.clients
    var selectedClient: String?
    var selectedScenario: String?
    var search = ""
    var isTyping = false
    var onlyClient = false
    /// The number behind the last entry shown, while the view stands still.
    var frozen: Int?
    /// How many entries fit, as last drawn.
    var page = 10

    public init(store: String, now: Date) {
        self.store = store
        self.now = now
    }

    /// Takes what the store says now.
    public mutating func take(clients: [TelemetryClientRecord], scenarios: [TelemetryScenarioRecord]) {
        self.clients = clients.sorted { ($0.created, $0.clientId) < ($1.created, $1.clientId) }
        allScenarios = scenarios
        if client == nil { selectedClient = self.clients.first?.clientId }
        if scenario == nil { selectedScenario = self.scenarios.first?.scenarioName }
    }

    public mutating func take(_ events: [TelemetryEvent], missed: Int) {
        log.addMissed(missed)
        for event in events {
            log.add(event)
            let client = event.clientId ?? ""
            rates.add("", at: event.timestamp)
            rates.add(Self.key(client), at: event.timestamp)
            if let scenario = event.scenario { rates.add(Self.key(client, scenario), at: event.timestamp) }
        }
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
        allScenarios.filter { $0.clientId == selectedClient }.sorted { $0.scenarioName < $1.scenarioName }
    }

    var scenario: TelemetryScenarioRecord? { scenarios.first { $0.scenarioName == selectedScenario } }

    func scenarioCount(of client: TelemetryClientRecord) -> (on: Int, all: Int) {
        let own = allScenarios.filter { $0.clientId == client.clientId }
        return (own.count(where: \.isEnabled), own.count)
    }

    static func key(_ client: String, _ scenario: String? = nil) -> String {
        scenario.map { "\(client)\u{0}\($0)" } ?? client + "\u{0}"
    }

    /// Whether the entry passes the filter.
    func shows(_ entry: EventLog.Entry) -> Bool {
        guard case .event(let event) = entry else { return search.isEmpty }
        if onlyClient, let selectedClient, event.clientId != selectedClient { return false }
        return search.isEmpty || EventSearch(search).matches(event)
    }

    /// The last entries that pass the filter, as many as fit, oldest first.
    func visibleEntries(_ count: Int) -> [EventLog.Entry] {
        var found: [EventLog.Entry] = []
        var number = min(frozen ?? log.end, log.end)
        while number > log.first, found.count < count {
            number -= 1
            if shows(log[number]) { found.append(log[number]) }
        }
        return found.reversed()
    }
}
