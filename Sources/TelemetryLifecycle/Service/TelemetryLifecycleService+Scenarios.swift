public import Foundation
public import TelemetryModels

extension TelemetryLifecycleService {
    /// Turns a scenario on or off on the host's behalf, here and then at the store. The policy does not bind the host.
    /// - Parameters:
    ///   - scenarioName: The scenario, registered or not.
    ///   - enabled: Whether it is on.
    ///   - level: The most detailed level that is recorded.
    ///   - expires: When the decision ends by itself; nil where it does not. Then rules decide, otherwise the scenario is off.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError`` with `.invalidArgument` for a name that is empty or longer than 256 bytes of
    ///   UTF-8, with `.unauthorized` for turning on what the person forbids, and then nothing changes; what the transport throws,
    ///   and then it holds here and the record follows.
    public func setScenarioEnabled(
        _ scenarioName: String, enabled: Bool, level: TelemetryLogLevel, expires: Date?
    ) async throws {
        let state = TelemetryScenarioState(isEnabled: enabled, level: level, expires: expires, source: .host)
        try await engine.operation { engine in
            await Outcome { try await engine.setScenario(scenarioName, state) }
        }.get()
    }

    /// Drops the host's or the viewer's decision on a scenario: rules decide from then on, otherwise it is off.
    /// - Throws: as ``setScenarioEnabled(_:enabled:level:expires:)``.
    public func resetScenario(_ scenarioName: String) async throws {
        try await engine.operation { engine in
            await Outcome { try await engine.resetScenario(scenarioName) }
        }.get()
    }

    /// Pauses on the host's behalf: nothing is recorded and nothing sent until ``resumeTelemetry()``, also across restarts. What waits
    /// to be sent stays, and so do the client, its approval, scenarios, records and events; leases go on running. A viewer cannot
    /// end it. Without a request for telemetry it does nothing.
    ///
    /// A logger that is not the library's is turned off meanwhile, which discards what waits in it.
    public func pauseTelemetry() async {
        await engine.operation { engine in await engine.setPausedByHost(true) }
    }

    /// Ends every pause, the host's and the viewer's.
    public func resumeTelemetry() async {
        await engine.operation { engine in await engine.setPausedByHost(false) }
    }

    /// Forbids a scenario on behalf of the person who uses the app, or allows it again. A scenario that is forbidden is off
    /// whatever the host, viewers and rules decide; what they decided holds again once it is allowed. Persisted, also beyond
    /// ``disableTelemetry(reason:)``.
    public func setScenarioAllowed(_ scenarioName: String, allowed: Bool) async {
        await engine.operation { engine in await engine.setAllowed(scenarioName, allowed) }
    }
}
