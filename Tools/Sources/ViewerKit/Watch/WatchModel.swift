public import Foundation
public import TelemetryModels

/// The state of the full-screen view, independent of terminal and store.
public struct WatchModel: Sendable {
    public enum Pane: CaseIterable, Sendable { case clients, scenarios, events }

    public var store: String
    /// The query that all events match; nil for any.
    let condition: String?
    /// The names that the user has given to clients.
    public var aliases: ClientAliases
    public var now: Date
    public private(set) var clients: [TelemetryClientRecord] = []
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
    /// The client whose telemetry ends after confirmation; nil if no confirmation is shown.
    var ending: String?
    var browser = EventBrowser()
    /// The text that is typed; nil if no prompt is shown.
    var prompt: WatchPrompt?
    /// The strings that are marked, and that `n` and `N` go to.
    var found: EventPattern?
    /// The request of stored events that has not been answered yet.
    var reading: WatchReading?
    var bookmarks = WatchBookmarks()
    /// The help or an event's details, shown instead of the panes.
    var pager: WatchPager?
    /// The number of columns by which the events are scrolled sideways.
    var sideways = 0
    /// Whether the mouse wheel scrolls. If not, the terminal selects text with the mouse.
    var usesMouse = true

    /// - Parameters:
    ///   - severity: The lowest severity of the events to show; nil for all events.
    ///   - condition: The query that all events match; nil for any.
    public init(
        store: String, now: Date, aliases: ClientAliases = ClientAliases(), severity: EventSeverity? = nil,
        condition: String? = nil
    ) {
        self.store = store
        self.condition = condition
        self.now = now
        self.aliases = aliases
        choose { $0.severity = severity }
    }

    /// Whether the terminal should report the mouse.
    public var reportsMouse: Bool { usesMouse && pager == nil }

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
        let oldest = now - TimeInterval(RateWindow.length)
        for event in events {
            let client = event.clientId ?? ""
            lastEvents[client] = max(event.timestamp, lastEvents[client] ?? .distantPast)
            // The rates need only the most recent events.
            guard event.timestamp > oldest else { continue }
            rates.add("", at: event.timestamp)
            rates.add(Self.key(client), at: event.timestamp)
            if let scenario = event.scenario { rates.add(Self.key(client, scenario), at: event.timestamp) }
        }
        browser.add(events, skipped: skipped)
    }

    /// Called twice a second.
    public mutating func tick(_ now: Date) {
        self.now = now
        rates.removeCounts(before: now)
        // The message disappears after a while, and the keys are shown again.
        messageAge += 1
        if messageAge > 10, !message.isEmpty { message = "" }
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

    /// The date of the client's last event or, if that is later, the date in its record.
    func lastSeen(of client: TelemetryClientRecord) -> Date? {
        [lastEvents[client.clientId], client.lastSeen].compactMap(\.self).max()
    }

    /// The client's alias or, without one, its identifier.
    func label(of clientId: String) -> String { aliases.label(of: clientId) }

    static func key(_ client: String, _ scenario: String? = nil) -> String {
        scenario.map { "\(client)\u{0}\($0)" } ?? client + "\u{0}"
    }
}

/// Selects which events are shown.
extension WatchModel {
    static let tooSlow = "The expression takes too long, so the search ended. Change it, or press Esc to clear it."

    var log: EventLog { browser.log }
    var filter: EventPattern? { browser.selection.filter.pattern }

    /// Whether only the selected client's events are shown.
    var onlyClient: Bool { browser.selection.filter.clientId != nil }

    /// The lowest severity of the events that are shown; nil for all.
    var severity: EventSeverity? { browser.selection.filter.severity }

    /// Whether the view is paused.
    var isPaused: Bool { browser.isPaused }

    /// The number of new events since the view was paused, or after the window of stored events.
    var newer: Int { browser.window.map { max(0, log.total - $0.range.upperBound) } ?? 0 }

    var page: Int {
        get { browser.page }
        set { browser.page = newValue }
    }

    mutating func showOnlyClient(_ isOn: Bool) {
        let clientId = isOn ? selectedClient : nil
        choose { $0.clientId = clientId }
    }

    /// Shows the events of all severities, then those of info, of warning, and of error and above.
    mutating func chooseNextSeverity() {
        let next: EventSeverity? =
            switch severity {
            case nil: .info
            case .info: .warning
            case .warning: .error
            default: nil
            }
        choose { $0.severity = next }
        message = next.map { "Only events of severity \($0.rawValue) and above." } ?? "Events of all severities."
    }

    /// Updates the filter to the selected client if only one client's events are shown.
    mutating func chooseClient() {
        if onlyClient, browser.selection.filter.clientId != selectedClient { showOnlyClient(true) }
    }

    /// Changes the filter.
    mutating func choose(_ change: (inout EventViewFilter) -> Void) {
        var filter = browser.selection.filter
        change(&filter)
        browser.choose(filter)
        if browser.selection.isTooSlow { message = Self.tooSlow }
    }

    /// Shows the newest events, and follows them.
    mutating func resume() {
        reading = nil
        browser.resume()
    }

    /// The matching entries that fit, oldest first.
    func visibleEntries(_ count: Int) -> [EventLog.Entry] { browser.visible(count).map { browser.entry($0) } }
}
