import TelemetryLogging
import TelemetryModels

/// A logger that records nothing and counts whether its gate for one scenario is open.
actor GateLogger: TelemetryLogging {
    nonisolated let currentSessionId = "session"
    private let scenario: String
    private let counter: GateCounter
    private var isOpen = false

    init(scenario: String, counter: GateCounter) {
        self.scenario = scenario
        self.counter = counter
    }

    nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        attributes: @autoclosure () -> [String: TelemetryValue]
    ) {}

    func updateScenarioStates(_ states: [String: Bool]) {
        let isOpen = states[scenario] == true
        guard isOpen != self.isOpen else { return }
        self.isOpen = isOpen
        counter.add(isOpen ? 1 : -1)
    }

    func setClientIdentifier(_ clientId: String?) {}
    func activate(enabled: Bool) {}
    func setEnabled(_ enabled: Bool) {}
    func flush() {}
    func shutdown() {}
}
