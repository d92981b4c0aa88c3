package import TelemetryModels
import TelemetrySystem

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The values in which an event differs from its neighbours, with its strings as bytes that exist only during a call.
package struct EventFields {
    package typealias Text = UnsafeBufferPointer<UInt8>

    package var sequence: UInt64
    package var timestamp: Date
    package var level: TelemetryLogLevel
    package var name: Text
    package var thread: Text
    package var scenario: Text?
    package var property1: Text?
    package var attributes: EventAttributes
    /// The event's identifier; nil if it consists of the session's identifier, a dash and the sequence.
    package var identifier: Text?

    @inline(__always)
    package init(
        sequence: UInt64, timestamp: Date, level: TelemetryLogLevel, name: Text, thread: Text, scenario: Text?, property1: Text?,
        attributes: EventAttributes, identifier: Text?
    ) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.level = level
        self.name = name
        self.thread = thread
        self.scenario = scenario
        self.property1 = property1
        self.attributes = attributes
        self.identifier = identifier
    }

    /// The identifier as a text.
    func identifier(in sessionId: String) -> String {
        identifier.map { String(decoding: $0, as: UTF8.self) }
            ?? EventIdentifier.make(sessionId: sessionId, sequence: sequence)
    }
}

/// The values that the events of one session have in common.
package struct EventOrigin: Sendable {
    package let clientId: String?
    package let sessionId: String
    package let device: TelemetryDeviceInfo

    package init(clientId: String?, sessionId: String, device: TelemetryDeviceInfo) {
        self.clientId = clientId
        self.sessionId = sessionId
        self.device = device
    }
}

/// Events of one client and session that are not `TelemetryEvent`s yet.
package protocol EncodedEvents: Sendable {
    var origin: EventOrigin { get }
    var count: Int { get }

    /// Calls the body for each event, in order.
    func forEach(_ body: (EventFields) throws -> Void) throws

    /// The same events as values.
    func decoded() -> [TelemetryEvent]

    /// - Parameter range: Of the indices from 0 to below ``count``.
    func part(_ range: Range<Int>) -> any EncodedEvents
}

extension UnsafePointer<TelemetryEvent> {
    /// Calls the body with the event's values without copying its strings.
    @inline(__always)
    func withFields<Result>(_ body: (EventFields) -> Result) -> Result {
        pointee.eventId.withBytes { identifier in
            pointee.name.withBytes { name in
                pointee.threadId.withBytes { thread in
                    Self.withBytes(of: pointee.scenario) { scenario in
                        Self.withBytes(of: pointee.property1) { property1 in
                            body(
                                EventFields(
                                    sequence: pointee.sequence, timestamp: pointee.timestamp, level: pointee.level, name: name,
                                    thread: thread, scenario: scenario, property1: property1,
                                    attributes: .values(pointee.attributes), identifier: identifier))
                        }
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func withBytes<Result>(of text: String?, _ body: (EventFields.Text?) -> Result) -> Result {
        if let text { text.withBytes { body($0) } } else { body(nil) }
    }
}
