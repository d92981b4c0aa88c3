import TelemetryModels

/// The severity of an event that carries one as the attribute `severity`, whoever wrote it.
struct EventSeverity {
    let text: String
    let look: ScreenLine.Look
    /// One character for the list.
    let mark: String

    init?(_ event: TelemetryEvent) {
        guard case .string(let text)? = event.attributes["severity"] else { return nil }
        self.text = text
        switch text.lowercased() {
        case "error", "err", "critical", "crit", "fatal", "fault", "alert", "emergency", "emerg", "panic":
            (look, mark) = (.red, "E")
        case "warning", "warn": (look, mark) = (.yellow, "W")
        default: (look, mark) = (.plain, " ")
        }
    }
}
