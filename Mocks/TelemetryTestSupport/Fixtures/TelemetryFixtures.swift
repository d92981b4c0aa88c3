public import Foundation
public import TelemetryModels

/// Realistic values that are the same in every run.
public enum TelemetryFixtures {
    /// 21 November 2026, 08:00 UTC.
    public static let date = Date(timeIntervalSince1970: 1_795_248_000)

    /// The fixtures' default client.
    public static let clientId = "k7m2pqx9ab"

    /// A device whose fields are the same on every machine.
    public static let device = TelemetryDeviceInfo(
        deviceType: "iOS", deviceName: "Ada's iPhone", deviceModel: "iPhone17,1", osVersion: "26.1.0",
        appVersion: "2.4 (118)")

    /// Settings of an approved client.
    public static let approvedSettings = TelemetrySettings(
        telemetryRequested: true, telemetrySendingEnabled: true, clientIdentifier: clientId)

    /// The event number `sequence` of a session, a millisecond after the previous one.
    public static func event(
        _ sequence: UInt64 = 1, clientId: String? = clientId, sessionId: String = "session", name: String = "event",
        property1: String? = nil, attributes: [String: TelemetryValue] = [:], scenario: String? = nil,
        level: TelemetryLogLevel = .info
    ) -> TelemetryEvent {
        TelemetryEvent(
            eventId: EventIdentifier.make(sessionId: sessionId, sequence: sequence), clientId: clientId,
            sessionId: sessionId, sequence: sequence, name: name,
            timestamp: date.addingTimeInterval(Double(sequence) / 1000), device: device, threadId: "1", property1: property1,
            attributes: attributes, scenario: scenario, level: level)
    }

    /// The events of a session with these numbers.
    public static func events(
        _ sequences: ClosedRange<UInt64>, clientId: String? = clientId, sessionId: String = "session",
        scenario: String? = nil
    ) -> [TelemetryEvent] {
        sequences.map { event($0, clientId: clientId, sessionId: sessionId, scenario: scenario) }
    }

    /// A client's record with a fixed date.
    public static func client(_ clientId: String = clientId, isEnabled: Bool = false) -> TelemetryClientRecord {
        TelemetryClientRecord(clientId: clientId, created: date, isEnabled: isEnabled)
    }

    /// A scenario's record with a fixed date.
    public static func scenario(
        _ name: String = "NetworkRequests", clientId: String = clientId, isEnabled: Bool = false
    ) -> TelemetryScenarioRecord {
        TelemetryScenarioRecord(clientId: clientId, scenarioName: name, isEnabled: isEnabled, created: date)
    }

    /// A pending command; `age` seconds older than ``date``.
    public static func command(
        _ action: TelemetrySchema.CommandAction, commandId: String = "command", clientId: String = clientId,
        scenarioName: String? = nil, age: TimeInterval = 0
    ) -> TelemetryCommandRecord {
        TelemetryCommandRecord(
            commandId: commandId, clientId: clientId, action: action, scenarioName: scenarioName,
            created: date.addingTimeInterval(-age))
    }
}
