import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The events that were read from a piece of an archive, and the bytes of their strings.
final class ArchivedBlock: Sendable {
    struct Event {
        var sequence: UInt64 = 0
        var timestamp = Date.distantPast
        var level = TelemetryLogLevel.info
        /// ``ArchivedText/none`` if it consists of the session's identifier, a dash and the sequence.
        var identifier = ArchivedText.none
        var name = ArchivedText.none
        var thread = ArchivedText.none
        var scenario = ArchivedText.none
        var property1 = ArchivedText.none
        /// The end of the event's attributes; they begin at the end of those of the previous event.
        var attributesEnd = 0
    }

    struct Attribute {
        enum Value {
            case text(ArchivedText)
            /// A value that is not a text.
            case other(TelemetryValue)
        }

        let name: ArchivedText
        let value: Value
    }

    private let bytes: [UInt8]
    private let events: [Event]
    private let attributes: [Attribute]

    /// - Parameter bytes: The piece of the archive, followed by the strings that contain escapes, without them.
    init(bytes: [UInt8], events: [Event], attributes: [Attribute]) {
        self.bytes = bytes
        self.events = events
        self.attributes = attributes
    }

    /// Calls the body for each event with an index in the range, in order.
    func forEach(in range: Range<Int>, _ body: (EventFields) throws -> Void) rethrows {
        try bytes.withUnsafeBufferPointer { bytes in
            func text(_ text: ArchivedText) -> EventFields.Text? { text.range.map { EventFields.Text(rebasing: bytes[$0]) } }
            let empty = EventFields.Text(start: nil, count: 0)
            var fields: [EventAttributes.Field] = []
            var start = range.lowerBound == 0 ? 0 : events[range.lowerBound - 1].attributesEnd
            for index in range {
                let event = events[index]
                fields.removeAll(keepingCapacity: true)
                for attribute in attributes[start..<event.attributesEnd] {
                    let value: EventAttributes.Field.Value =
                        switch attribute.value {
                        case .text(let place): .text(text(place) ?? empty)
                        case .other(let value): .other(value)
                        }
                    fields.append(.init(name: text(attribute.name) ?? empty, value: value))
                }
                start = event.attributesEnd
                try body(
                    EventFields(
                        sequence: event.sequence, timestamp: event.timestamp, level: event.level, name: text(event.name) ?? empty,
                        thread: text(event.thread) ?? empty, scenario: text(event.scenario), property1: text(event.property1),
                        attributes: .fields(fields), identifier: text(event.identifier)))
            }
        }
    }

    /// The events with an index in the range, as values.
    func decoded(in range: Range<Int>, of origin: EventOrigin) -> [TelemetryEvent] {
        var place = range.lowerBound
        var events: [TelemetryEvent] = []
        events.reserveCapacity(range.count)
        func string(_ text: EventFields.Text) -> String { String(decoding: text, as: UTF8.self) }
        forEach(in: range) { fields in
            let start = place == 0 ? 0 : self.events[place - 1].attributesEnd
            var attributes: [String: TelemetryValue] = [:]
            for attribute in self.attributes[start..<self.events[place].attributesEnd] {
                let value: TelemetryValue =
                    switch attribute.value {
                    case .text(let text): .string(self.string(text))
                    case .other(let value): value
                    }
                attributes[self.string(attribute.name)] = value
            }
            events.append(
                TelemetryEvent(
                    eventId: fields.identifier.map(string) ?? "\(origin.sessionId)-\(fields.sequence)", clientId: origin.clientId,
                    sessionId: origin.sessionId, sequence: fields.sequence, name: string(fields.name),
                    timestamp: fields.timestamp, device: origin.device, threadId: string(fields.thread),
                    property1: fields.property1.map(string), attributes: attributes, scenario: fields.scenario.map(string),
                    level: fields.level))
            place += 1
        }
        return events
    }

    private func string(_ text: ArchivedText) -> String { String(decoding: bytes[text.range ?? 0..<0], as: UTF8.self) }
}

/// Consecutive events of one client and session in an archive.
struct ArchivedEvents: EncodedEvents {
    let origin: EventOrigin
    let block: ArchivedBlock
    let range: Range<Int>

    var count: Int { range.count }

    func forEach(_ body: (EventFields) throws -> Void) throws { try block.forEach(in: range, body) }

    func decoded() -> [TelemetryEvent] { block.decoded(in: range, of: origin) }

    func part(_ part: Range<Int>) -> any EncodedEvents {
        let start = range.lowerBound + part.lowerBound
        return ArchivedEvents(origin: origin, block: block, range: start..<start + part.count)
    }
}
