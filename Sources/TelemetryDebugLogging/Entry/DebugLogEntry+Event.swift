#if DEBUG
import Foundation
@_spi(Tooling) public import TelemetryModels

extension DebugLogEntry {
    /// The entry as an event of the telemetry, so that one viewer shows both.
    ///
    /// The event's identifier is the entry's: sent twice, it is stored once. The payload's strings, numbers and booleans become
    /// attributes under their names; lists and objects become JSON text. What an event has no field for stands in the
    /// attributes `debug.correlation_id`, `debug.level`, `debug.source` and `debug.device_id`, and `property1` holds the
    /// correlation identifier. `debug` becomes ``/TelemetryModels/TelemetryLogLevel/diagnostic``, every other level
    /// ``/TelemetryModels/TelemetryLogLevel/info``.
    /// - Parameters:
    ///   - sessionId: the telemetry's session, for the two to lie side by side; the entry's own where it is nil.
    ///   - clientId: the client that the event shall belong to.
    ///   - scenario: the scenario that the event shall belong to.
    public func telemetryEvent(
        sessionId: String? = nil, clientId: String? = nil, scenario: String? = nil
    ) -> TelemetryEvent {
        var attributes = payload.compactMapValues(\.json.attribute)
        attributes["debug.correlation_id"] = .string(correlationId.uuidString)
        attributes["debug.level"] = .string(level.rawValue)
        attributes["debug.source"] = .string(source.rawValue)
        attributes["debug.device_id"] = deviceId.map { .string($0.uuidString) }
        return TelemetryEvent(
            eventId: id.uuidString, clientId: clientId, sessionId: sessionId ?? self.sessionId.uuidString, name: event,
            timestamp: timestamp, property1: correlationId.uuidString, attributes: attributes, scenario: scenario,
            level: level == .debug ? .diagnostic : .info)
    }
}

#endif
