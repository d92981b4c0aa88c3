import Foundation
import TelemetryModels

/// An event as the caller logged it, without identifiers.
struct CapturedEvent {
    var name: String
    var scenario: String?
    var level: TelemetryLogLevel
    var property1: String?
    var attributes: [String: TelemetryValue]
    var secondsSinceReference: Double
    var thread: UInt64

    /// The maximum number of bytes that the event's frame takes.
    var maximumFrameBytes: Int { maximumFrameBytes(with: attributes) }

    /// The maximum number of bytes that the frame takes of the event with other attributes.
    @inline(__always)
    func maximumFrameBytes(with attributes: some Collection<(key: String, value: TelemetryValue)>) -> Int {
        var size = Frame.headerBytes &+ Frame.fixedEventBytes &+ FrameWriter.size(of: name)
        if let scenario { size &+= FrameWriter.size(of: scenario) }
        if let property1 { size &+= FrameWriter.size(of: property1) }
        return size &+ AttributeCoding.maximumBytes(of: attributes)
    }
}

extension CapturedEvent {
    /// The attribute of events that a viewer requested from the flight recorder.
    static let capturedAttribute = "telemetry.captured"

    /// The event identifier for an identity in a ring. It is the same each time the event is sent.
    static func eventId(ofRecorded identity: UInt64) -> String {
        let digits = String(identity, radix: 16)
        return "recorded-" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Passes the event to the host's hook and applies its changes; false if the hook refused the event.
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
