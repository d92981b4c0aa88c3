import Foundation
import TelemetryModels
import TelemetrySystem
import TelemetryTransport

/// Encodes bodies of `POST /v1/events`. Values that the events of a batch share are written once, before the events.
struct EventBatchEncoder {
    struct Batch: Sendable {
        let body: Data
        /// The number of events from the front that the batch contains.
        let count: Int
    }

    private let buffer = ByteBuffer(capacity: 16 << 10)
    private var timestamps = TimestampWriter()

    /// Returns a batch of as many events from the front as fit, at least one.
    /// - Throws: `.invalidArgument` for a date outside the years 1 to 9999.
    mutating func encode(
        _ events: ArraySlice<TelemetryEvent>, maximumBytes: Int
    ) throws(TelemetryTransportError) -> Batch {
        buffer.truncate()
        let shared = events.count > 1 ? SharedEventFields(events) : SharedEventFields()
        buffer.append(UInt8(ascii: "{"))
        if events.count > 1 { appendContext(shared) }
        buffer.append(literal: "\"events\":[")
        var count = 0
        for event in events {
            let end = buffer.count
            if count > 0 { buffer.append(UInt8(ascii: ",")) }
            try append(event, below: shared)
            // Two more bytes close the body.
            if buffer.count + 2 > maximumBytes, count > 0 {
                buffer.truncate(to: end)
                break
            }
            count += 1
        }
        buffer.append(literal: "]}")
        return Batch(body: Data(buffer.bytes), count: count)
    }

    private func appendContext(_ shared: SharedEventFields) {
        var isFirst = true
        buffer.append(literal: "\"context\":{")
        if let text = shared.clientId { buffer.append(member: "clientid", text, isFirst: &isFirst) }
        if let text = shared.sessionId { buffer.append(member: "sessionId", text, isFirst: &isFirst) }
        if let text = shared.name { buffer.append(member: "eventName", text, isFirst: &isFirst) }
        if let text = shared.threadId { buffer.append(member: "threadId", text, isFirst: &isFirst) }
        if let text = shared.scenario { buffer.append(member: "scenario", text, isFirst: &isFirst) }
        if let level = shared.level { buffer.append(member: "logLevel", level.rawValue, isFirst: &isFirst) }
        if let text = shared.property1 { buffer.append(member: "property1", text, isFirst: &isFirst) }
        if let device = shared.device { append(device, below: nil, isFirst: &isFirst) }
        buffer.append(literal: "},")
    }

    private mutating func append(
        _ event: TelemetryEvent, below shared: SharedEventFields
    ) throws(TelemetryTransportError) {
        var isFirst = true
        buffer.append(UInt8(ascii: "{"))
        buffer.append(member: "eventId", event.eventId, isFirst: &isFirst)
        if event.sequence > 0 {
            buffer.append(name: "sequence", isFirst: &isFirst)
            buffer.append(decimal: event.sequence)
        }
        buffer.append(literal: ",\"eventTimestamp\":\"")
        guard timestamps.append(event.timestamp, to: buffer) != nil else {
            throw .invalidArgument("The time of the event \"\(event.eventId)\" is outside the years 1 to 9999.")
        }
        buffer.append(UInt8(ascii: "\""))
        append("clientid", event.clientId, unless: shared.clientId, &isFirst)
        append("sessionId", event.sessionId, unless: shared.sessionId, &isFirst)
        append("eventName", event.name, unless: shared.name, &isFirst)
        append("threadId", event.threadId, unless: shared.threadId, &isFirst)
        append("scenario", event.scenario, unless: shared.scenario, &isFirst)
        append("property1", event.property1, unless: shared.property1, &isFirst)
        if event.level != shared.level { buffer.append(member: "logLevel", event.level.rawValue, isFirst: &isFirst) }
        append(event.device, below: shared.device, isFirst: &isFirst)
        if !event.attributes.isEmpty {
            buffer.append(name: "attributes", isFirst: &isFirst)
            if let name = buffer.append(wire: event.attributes) {
                throw .invalidArgument(
                    "The date of the attribute \"\(name)\" of the event \"\(event.eventId)\" is outside the years 1 to 9999.")
            }
        }
        buffer.append(UInt8(ascii: "}"))
    }

    private func append(_ device: TelemetryDeviceInfo, below shared: TelemetryDeviceInfo?, isFirst: inout Bool) {
        if let shared, shared.isCopy(of: device) { return }
        append("deviceType", device.deviceType, unless: shared?.deviceType, &isFirst)
        append("deviceName", device.deviceName, unless: shared?.deviceName, &isFirst)
        append("deviceModel", device.deviceModel, unless: shared?.deviceModel, &isFirst)
        append("osVersion", device.osVersion, unless: shared?.osVersion, &isFirst)
        append("appVersion", device.appVersion, unless: shared?.appVersion, &isFirst)
    }

    /// Omits a text whose UTF-8 is identical to the shared one. `==` would not keep its spelling.
    private func append(_ name: StaticString, _ text: String?, unless shared: String?, _ isFirst: inout Bool) {
        guard let text else { return }
        if let shared, shared.isIdentical(to: text) { return }
        buffer.append(member: name, text, isFirst: &isFirst)
    }
}

extension ByteBuffer {
    /// Appends a member of an object: a comma, unless it is the first, the name and the text.
    fileprivate func append(member name: StaticString, _ text: String, isFirst: inout Bool) {
        append(name: name, isFirst: &isFirst)
        append(quoted: text)
    }

    fileprivate func append(name: StaticString, isFirst: inout Bool) {
        if isFirst { isFirst = false } else { append(UInt8(ascii: ",")) }
        append(UInt8(ascii: "\""))
        append(literal: name)
        append(literal: "\":")
    }
}
