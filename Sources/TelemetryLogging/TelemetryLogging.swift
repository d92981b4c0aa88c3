public import TelemetryModels

/// A logger that a host logs events with and that the lifecycle service controls.
///
/// Events that are logged before ``activate(enabled:)`` are held, at least 10,000 ordinary ones; activation delivers or discards
/// them. After ``shutdown()`` events are refused until the next ``activate(enabled:)``.
public protocol TelemetryLogging: Actor {
    /// The identifier of the current session, which new events carry.
    nonisolated var currentSessionId: String { get }

    /// Logs one event, on any thread, without waiting. Arguments are not evaluated if the event is not recorded.
    /// - Parameters:
    ///   - name: The name of the event.
    ///   - scenario: The event's scenario; nil for an event outside all scenarios. An event whose scenario is off is not
    ///     recorded.
    ///   - level: The level of the event.
    ///   - property1: Free text.
    ///   - attributes: Named values.
    nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        attributes: @autoclosure () -> [String: TelemetryValue])

    /// Sets the client identifier of all events from now on. Called before ``activate(enabled:)``.
    func setClientIdentifier(_ clientId: String?) async

    /// Replaces the set of known and enabled scenarios. In effect on every thread when the call returns.
    func updateScenarioStates(_ states: [String: Bool]) async

    /// Replaces the states of all scenarios: whether they are on, at which level, until when, in which context. A scenario without a state is off.
    /// In effect on every thread when the call returns.
    ///
    /// The default calls ``updateScenarioStates(_:)`` and ignores levels and ends; a scenario with context conditions is off.
    func updateScenarios(_ states: [String: TelemetryScenarioState]) async

    /// Starts delivery of held and new events, or discards held events and records none. After ``shutdown()`` it begins a new
    /// session.
    func activate(enabled: Bool) async

    /// Turns recording on or off. Off discards and counts the events that were not sent, because consent was withdrawn.
    func setEnabled(_ enabled: Bool) async

    /// Returns when all events logged before the call, on any thread, are with the transport or kept for a later attempt.
    func flush() async

    /// Delivers as many waiting events as possible, and refuses new events from then on.
    func shutdown() async
}

extension TelemetryLogging {
    public func updateScenarios(_ states: [String: TelemetryScenarioState]) async {
        await updateScenarioStates(states.mapValues { $0.isEnabled && $0.contextConditions.isEmpty })
    }
}
