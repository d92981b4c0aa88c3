public import TelemetryModels

/// What a host logs through, and what the lifecycle service steers.
///
/// Events that were logged before ``activate(enabled:)`` are held, at least 10,000 ordinary ones; activating decides what
/// becomes of them. After ``shutdown()`` events are refused until the next ``activate(enabled:)``.
public protocol TelemetryLogging: Actor {
    /// The session that events bear now.
    nonisolated var currentSessionId: String { get }

    /// Logs one event, from any thread, without waiting. Nothing is evaluated where the event is not wanted.
    /// - Parameters:
    ///   - name: What happened.
    ///   - scenario: The scenario that it belongs to; nil for an event outside all scenarios. An event whose scenario is off
    ///     is not logged.
    ///   - level: How much it matters.
    ///   - property1: Free text.
    ///   - attributes: Named values.
    nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        attributes: @autoclosure () -> [String: TelemetryValue])

    /// Stamps every event from now on with the client's identifier. Called before ``activate(enabled:)``.
    func setClientIdentifier(_ clientId: String?) async

    /// Replaces the set of scenarios that are known and on. Seen by every thread when the call returns.
    func updateScenarioStates(_ states: [String: Bool]) async

    /// Replaces what is known of all scenarios: whether they are on, at which level, until when; what is absent is off. Seen by
    /// every thread when the call returns.
    ///
    /// The default calls ``updateScenarioStates(_:)``, and knows neither levels nor ends.
    func updateScenarios(_ states: [String: TelemetryScenarioState]) async

    /// Begins to deliver, keeping what was held, or discards what was held and records nothing.
    func activate(enabled: Bool) async

    /// Turns recording on or off. Off discards what was not sent, counted: consent is gone.
    func setEnabled(_ enabled: Bool) async

    /// Returns when all that was logged before the call, on any thread, is with the transport or kept for a later try.
    func flush() async

    /// Delivers what waits, as far as it can, and refuses events from then on.
    func shutdown() async
}

extension TelemetryLogging {
    public func updateScenarios(_ states: [String: TelemetryScenarioState]) async {
        await updateScenarioStates(states.mapValues(\.isEnabled))
    }
}
