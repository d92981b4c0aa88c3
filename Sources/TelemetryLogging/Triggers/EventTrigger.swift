package import TelemetryModels

/// A rule's trigger, as the lifecycle service passes it to the logger.
package struct EventTrigger: Sendable, Hashable {
    package let ruleId: String
    /// The scenario that the trigger acts on.
    package let scenario: String
    package let trigger: TelemetryTrigger

    /// Creates a trigger; the parameters are the properties of the same names.
    package init(ruleId: String, scenario: String, trigger: TelemetryTrigger) {
        self.ruleId = ruleId
        self.scenario = scenario
        self.trigger = trigger
    }
}

/// What a trigger demands, because enough events matched.
package struct TriggerFiring: Sendable, Hashable {
    package let trigger: EventTrigger
    /// How many events were counted for it.
    package let events: Int
    /// The client of these events.
    package let clientId: String?
}
