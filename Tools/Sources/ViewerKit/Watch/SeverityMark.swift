@_spi(Tooling) import TelemetryModels

/// How the screen shows an event's severity.
struct SeverityMark {
    /// The severity as it was written.
    let text: String
    let look: ScreenLine.Look
    /// One character for the list.
    let mark: String

    /// Returns nil if no attribute has the event's severity.
    init?(_ event: TelemetryEvent) {
        guard let severity = event.statedSeverity else { return nil }
        text = event.attributes[TelemetryEvent.severityAttribute]?.stringValue ?? severity.rawValue
        (look, mark) = severity >= .error ? (.red, "E") : severity >= .warning ? (.yellow, "W") : (.plain, " ")
    }
}
