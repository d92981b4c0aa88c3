import TelemetryStorage

extension EventBounds {
    /// The conditions of a filter that can be decided without reading events.
    init(_ filter: TelemetryEventFilter, client: String?) {
        self.init(
            client: client, session: filter.sessionId, scenarios: filter.scenarios, levels: filter.levels,
            since: filter.since.map(EventTime.limit), until: filter.until.map(EventTime.limit),
            hasOthers: filter.names != nil)
    }
}
