import TelemetryModels

extension TelemetryEvent {
    /// The attribute of events that were captured from a flight recorder.
    static let capturedAttribute = "telemetry.captured"

    /// Whether the event was captured from a flight recorder, so that it may be older than the events before it.
    var isCaptured: Bool { attributes[Self.capturedAttribute] == true }

    /// The event without the attribute that marks it as captured.
    var unmarked: TelemetryEvent {
        TelemetryEvent(
            eventId: eventId, clientId: clientId, sessionId: sessionId, sequence: sequence, name: name, timestamp: timestamp,
            device: device, threadId: threadId, property1: property1,
            attributes: attributes.filter { $0.key != Self.capturedAttribute }, scenario: scenario, level: level)
    }

    /// A text of the event for a row, with a mark if the event was captured.
    func rowText(_ text: String?) -> String { [isCaptured ? "[captured]" : nil, text].compactMap(\.self).joined(separator: " ") }
}
