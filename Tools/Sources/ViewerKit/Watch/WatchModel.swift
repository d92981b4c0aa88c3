public import Foundation
@_spi(Tooling) public import TelemetryModels

/// The state of the full-screen view, independent of terminal and store.
public struct WatchModel: Sendable {
    public enum Pane: CaseIterable, Sendable { case clients, scenarios, events }

    public var store: String
    /// Which events are shown.
    public internal(set) var filter: WatchFilter
    /// The names that the user has given to clients.
    public var aliases: ClientAliases
    public var now: Date
    public private(set) var clients: [TelemetryClientRecord] = []
    /// Whether the newest stored events that match the filter have been read.
    var isCaughtUp = false
    /// Whether the newest stored events could not be read.
    private(set) var isUnread = false
    /// The number of stored events that match the filter; nil if it is unknown.
    private(set) var matching: Int?
    /// The result of the last action.
    public var message = "" {
        didSet { messageAge = 0 }
    }
    /// By client, then by name, for fast lookup whenever the screen is drawn.
    private var allScenarios: [String: [TelemetryScenarioRecord]] = [:]
    private var enabledCounts: [String: Int] = [:]
    /// The number of drops that loggers reported, and of events removed from the store before they were read, whatever the filter is.
    private(set) var dropped = 0
    private var skipped = 0
    /// The date of each client's last event.
    private var lastEvents: [String: Date] = [:]

    /// In ticks.
    private var messageAge = 0
    private(set) var rates = RateWindow()
    var pane = Pane.clients
    var selectedClient: String?
    var selectedScenario: String?
    /// The client whose telemetry ends after confirmation; nil if no confirmation is shown.
    var ending: String?
    var browser: EventBrowser
    /// The text that is typed; nil if no prompt is shown.
    var prompt: WatchPrompt?
    /// The query whose words are marked, and to whose events `n` and `N` go.
    var found: TelemetryQuery?
    /// The request of stored events that has not been answered yet.
    var reading: WatchReading?
    var bookmarks = WatchBookmarks()
    /// The event to select again when the events that match a new filter have been read.
    var kept: TelemetryEvent?
    /// The help or an event's details, shown instead of the panes.
    var pager: WatchPager?
    /// The most frequent values of a field, shown instead of the panes.
    var top: WatchTop?
    /// The number of columns by which the events are scrolled sideways.
    var sideways = 0
    /// Whether the mouse wheel scrolls. If not, the terminal selects text with the mouse.
    var usesMouse = true

    public init(
        store: String, now: Date, aliases: ClientAliases = ClientAliases(), filter: WatchFilter = WatchFilter()
    ) {
        self.store = store
        self.filter = filter
        self.now = now
        self.aliases = aliases
        browser = EventBrowser(findsGaps: !filter.selectsContents)
    }

    /// Whether the terminal should report the mouse.
    public var reportsMouse: Bool { usesMouse && pager == nil && top == nil }

    /// Replaces the clients and scenarios with the currently stored ones.
    @discardableResult
    public mutating func receive(clients: [TelemetryClientRecord], scenarios: [TelemetryScenarioRecord]) -> Action {
        self.clients = clients.sorted { ($0.created, $0.clientId) < ($1.created, $1.clientId) }
        allScenarios = Dictionary(grouping: scenarios, by: \.clientId)
            .mapValues { $0.sorted { $0.scenarioName < $1.scenarioName } }
        enabledCounts = allScenarios.mapValues { $0.count(where: \.isEnabled) }
        if client == nil { selectedClient = self.clients.first?.clientId }
        if scenario == nil { selectedScenario = self.scenarios.first?.scenarioName }
        if let clientId = ending, !clients.contains(where: { $0.clientId == clientId }) { ending = nil }
        return chooseClient()
    }

    /// Receives the newest stored events that match the filter, and shows those that match a new filter for the first time.
    /// - Parameters:
    ///   - events: Empty if they could not be read.
    ///   - hasMore: Whether the store has, or may have, earlier events that match.
    public mutating func start(_ events: [TelemetryEvent], hasMore: Bool) -> Action {
        isCaughtUp = true
        isUnread = hasMore && events.isEmpty
        // After a change of the filter, most events have been counted. Those that arrived while the store was read are not counted.
        if lastEvents.isEmpty { count(events) }
        let wasPaused = isPaused
        browser.resume()
        browser.add(events, skipped: 0)
        if wasPaused { browser.pause() }
        matching = hasMore ? nil : events.count
        defer { kept = nil }
        return kept.flatMap { filter.accepts($0) ? select($0) : nil } ?? .nothing
    }

    /// Whether ``receive(matching:)`` is expected.
    public var isCountWanted: Bool { matching == nil && filter.selects }

    /// Receives the number of stored events that match the filter.
    public mutating func receive(matching count: Int) { matching = count }

    /// Receives new events, whether or not they match the filter.
    /// - Returns: The number of those that match.
    @discardableResult
    public mutating func receive(_ events: [TelemetryEvent], skipped: Int) -> Int {
        count(events)
        self.skipped = self.skipped.addingClamped(max(0, skipped))
        let shown = filter.isNarrow ? events.filter(filter.accepts) : events
        browser.add(shown, skipped: skipped)
        if let matching { self.matching = matching + shown.count }
        return shown.count
    }

    private mutating func count(_ events: [TelemetryEvent]) {
        let oldest = now - TimeInterval(RateWindow.length)
        for event in events {
            let client = event.clientId ?? ""
            dropped = dropped.addingClamped(Int(clamping: event.reportedDrops))
            lastEvents[client] = max(event.timestamp, lastEvents[client] ?? .distantPast)
            // The rates need only the most recent events.
            guard event.timestamp > oldest else { continue }
            rates.add("", at: event.timestamp)
            rates.add(Self.key(client), at: event.timestamp)
            if let scenario = event.scenario { rates.add(Self.key(client, scenario), at: event.timestamp) }
        }
    }

    /// Shows the result of an action.
    public mutating func show(_ text: String) -> Action {
        message = text
        return .nothing
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

/// The events that are shown.
extension WatchModel {
    var log: EventLog { browser.log }

    /// The number of missing sequence numbers, and of events removed from the store before they were read.
    var missing: Int { log.missing.addingClamped(skipped) }

    /// Whether only the selected client's events are shown.
    var onlyClient: Bool { filter.conditions.clientId != nil }

    /// The lowest severity of the events that are shown; nil for all.
    var severity: QuerySeverity? { filter.conditions.severity }

    /// Whether the view is paused.
    var isPaused: Bool { browser.isPaused }

    /// The number of new events since the view was paused, or after the window of stored events.
    var newer: Int { browser.window.map { max(0, log.total - $0.range.upperBound) } ?? 0 }

    var page: Int {
        get { browser.page }
        set { browser.page = newValue }
    }

    /// Removes the events, because those that match another filter are read. A paused view stays paused.
    mutating func restart() {
        let wasPaused = isPaused
        // While events are read, the event is still to be selected.
        if isCaughtUp { kept = wasPaused ? browser.current?.event : nil }
        browser = EventBrowser(findsGaps: !filter.selectsContents, page: page)
        if wasPaused { browser.pause() }
        top = nil
        bookmarks.forgetOrdinals()
        reading = nil
        matching = nil
        isCaughtUp = false
    }

    /// Shows the newest events, and follows them.
    mutating func resume() {
        reading = nil
        kept = nil
        browser.resume()
    }
}
