public import Foundation
public import TelemetryModels

extension TelemetryLifecycleService {
    /// Turns a scenario on or off on the host's behalf, first locally, then in the store. The policy does not apply to the host.
    /// - Parameters:
    ///   - scenarioName: The scenario, registered or not.
    ///   - enabled: Whether it is on.
    ///   - level: The most detailed level that is recorded.
    ///   - expires: When the decision expires; nil if it does not. After that rules decide; without a rule the scenario is off.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError`` with `.invalidArgument` for a name that is empty or longer than
    ///   256 bytes of UTF-8, with `.unauthorized` for turning on a scenario that the person forbids, and then nothing changes;
    ///   the transport's error, and then the change is in effect locally and the record is updated later.
    public func setScenarioEnabled(
        _ scenarioName: String, enabled: Bool, level: TelemetryLogLevel, expires: Date?
    ) async throws {
        let state = TelemetryScenarioState(isEnabled: enabled, level: level, expires: expires, source: .host)
        try await engine.operation { engine in
            await Outcome { try await engine.setScenario(scenarioName, state) }
        }.get()
    }

    /// Drops the host's or the viewer's decision on a scenario: rules decide; without a rule it is off.
    /// - Throws: as ``setScenarioEnabled(_:enabled:level:expires:)``.
    public func resetScenario(_ scenarioName: String) async throws {
        try await engine.operation { engine in
            await Outcome { try await engine.resetScenario(scenarioName) }
        }.get()
    }

    /// Pauses on the host's behalf: no events are recorded or sent until ``resumeTelemetry()``, also across restarts. Waiting
    /// events, the client, its approval, scenarios, records and stored events are kept. Leases continue to run. A viewer cannot
    /// end the pause. Does nothing if telemetry is not requested.
    ///
    /// A logger that is not the library's is turned off meanwhile, which discards its waiting events.
    public func pauseTelemetry() async {
        await engine.operation { engine in await engine.setPausedByHost(true) }
    }

    /// Ends every pause, the host's and the viewer's.
    public func resumeTelemetry() async {
        await engine.operation { engine in await engine.setPausedByHost(false) }
    }

    /// Forbids a scenario on behalf of the person who uses the app, or allows it again. A forbidden scenario is off whatever the
    /// host, viewers and rules decide; their decisions apply again once it is allowed. Persisted, also after
    /// ``disableTelemetry(reason:)``.
    public func setScenarioAllowed(_ scenarioName: String, allowed: Bool) async {
        await engine.operation { engine in await engine.setAllowed(scenarioName, allowed) }
    }
}
