import Foundation
import TelemetryModels

/// What a caller logged, before it has an identity.
struct CapturedEvent {
    var name: String
    var scenario: String?
    var level: TelemetryLogLevel
    var property1: String?
    var attributes: [String: TelemetryValue]
    var secondsSinceReference: Double
    var thread: UInt64

    /// The most bytes that the event's frame takes.
    var maximumFrameBytes: Int {
        FrameEncoding.maximumBytes(name: name, scenario: scenario, property1: property1)
            + (attributes.isEmpty ? 0 : AttributeCoding.maximumBytes(of: attributes))
    }
}

extension CapturedEvent {
    /// Shows the event to the host's hook and takes over what it changed; false if it refused the event.
    mutating func pass(through process: (inout TelemetryEvent) -> Bool, sessionId: String) -> Bool {
        var event = TelemetryEvent(
            eventId: "", sessionId: sessionId, name: name,
            timestamp: Date(timeIntervalSinceReferenceDate: secondsSinceReference), threadId: "\(thread)",
            property1: property1, attributes: attributes, scenario: scenario, level: level)
        guard process(&event) else { return false }
        name = event.name
        scenario = event.scenario
        level = event.level
        property1 = event.property1
        attributes = event.attributes
        secondsSinceReference = event.timestamp.timeIntervalSinceReferenceDate
        return true
    }
}
