import TelemetryModels

extension TelemetryEvent {
    /// Whether a viewer captured the event from a flight recorder, so that it may be older than the events before it.
    var isCaptured: Bool { attributes["telemetry.captured"] == true }

    /// The event's text for a row, with a mark if the event was captured.
    var rowText: String { [isCaptured ? "[captured]" : nil, property1].compactMap(\.self).joined(separator: " ") }
}
