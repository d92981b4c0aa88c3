import TelemetryModels

/// Reads accepted events back from both kinds of the relay's pages, as the relay and as the library does.
enum RelayPages {
    /// - Returns: the events that the library reads.
    static func readBack(_ events: RelayEvents) -> [TelemetryEvent] {
        let (lines, json) = (events.lines, events.json)
        guard let again = RelayEvents(lines: lines) else { violated("the relay refuses its lines: \(show(events))") }
        require(again.lines == lines && again.keys == events.keys, "the relay reads its lines differently: \(show(events))")
        guard let same = RelayEvents(json: json) else { violated("the relay refuses its JSON: \(show(events))") }
        require(same.keys == events.keys, "the relay reads its JSON differently: \(show(events))")
        guard let read = PageAccess.events(inLines: lines) else { violated("the library refuses lines: \(show(events))") }
        guard let other = PageAccess.events(inJSON: json) else { violated("the library refuses JSON: \(show(events))") }
        require(read.count == events.keys.count, "the library reads \(read.count) of \(events.keys.count) events")
        compare(read, other, "the library reads lines and JSON differently")
        return read
    }

    static func compare(_ events: [TelemetryEvent], _ others: [TelemetryEvent], _ difference: String) {
        require(events.count == others.count, difference)
        for (event, other) in zip(events, others) {
            require(Sameness.holds(event, other), "\(difference): \(event) \(other)")
        }
    }

    static func show(_ events: RelayEvents) -> String {
        String(decoding: events.lines + events.json, as: UTF8.self)
    }
}
