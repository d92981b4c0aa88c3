#if DEBUG
import Foundation
@_spi(Tooling) public import TelemetryModels

extension DebugLogEntry {
    /// Returns the entry as a telemetry event, so that one viewer shows both.
    ///
    /// The event's identifier is the entry's: sent twice, it is stored once. The payload's strings, numbers and booleans become
    /// attributes under their names; lists and objects become JSON text. Properties without a field in the event become the
    /// attributes `debug.correlation_id`, `debug.level`, `debug.source` and `debug.device_id`, and `property1` holds the
    /// correlation identifier. `debug` becomes ``/TelemetryModels/TelemetryLogLevel/diagnostic``, every other level
    /// ``/TelemetryModels/TelemetryLogLevel/info``.
    /// - Parameters:
    ///   - sessionId: the telemetry's session; nil for the entry's own.
    ///   - clientId: the client of the event.
    ///   - scenario: the scenario of the event.
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
