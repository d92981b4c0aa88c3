import Foundation
@_spi(Tooling) public import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// Encodes events as OpenTelemetry log records, in the JSON form of OTLP.
///
/// Events of the same client, app and device have one resource. An event's name is the record's `eventName`, `property1` its body,
/// and its attributes are the record's attributes. The record also has the attributes `log.record.uid` (the event's identifier),
/// `session.id`, `thread.id`, `livetelemetry.sequence`, `livetelemetry.level` and `livetelemetry.scenario`. An attribute of the
/// event with one of these names, or with a name that begins with `livetelemetry.`, is prefixed with `livetelemetry.attribute.`.
/// Valid identifiers in the attributes `trace_id` and `span_id` become the record's. The severity is that of the attribute
/// `severity` or `level` if it names a level of swift-log; otherwise info events are INFO, and diagnostic events are DEBUG.
public struct TelemetryOTLPEncoder: Sendable {
    /// The value of `service.name` if no other is known.
    public static let unknownService = "unknown_service"

    /// The value of the resource attribute `service.name`.
    public let serviceName: String

    /// - Parameter serviceName: The value of the resource attribute `service.name`: what the events come from.
    public init(serviceName: String = Self.unknownService) { self.serviceName = serviceName }

    /// Encodes events as one `ExportLogsServiceRequest`, which is also a line of a file of logs: JSON without line breaks.
    ///
    /// Dates are rounded to microseconds; a date before 1970 is 0, which means unknown.
    public func encode(_ events: some Sequence<TelemetryEvent>) -> [UInt8] {
        var writer = JSONWriter(capacity: 4_096)
        writer.object { writer in
            writer.key("resourceLogs")
            writer.array(Self.groups(events), write)
        }
        return writer.bytes
    }

    private func write(_ group: (source: Source, events: [TelemetryEvent]), to writer: inout JSONWriter) {
        writer.object { writer in
            writer.key("resource")
            writer.object { write(group.source, to: &$0) }
            writer.key("scopeLogs")
            writer.array { scopes in
                scopes.object { writer in
                    writer.key("scope")
                    writer.object { scope in
                        scope.member("name", "LiveTelemetry")
                        scope.member("version", LiveTelemetryVersion.version)
                    }
                    writer.key("logRecords")
                    writer.array(group.events) { event, records in records.object { Self.write(event, to: &$0) } }
                }
            }
        }
    }

    /// The events by resource, in the order in which a resource occurs first.
    private static func groups(_ events: some Sequence<TelemetryEvent>) -> [(source: Source, events: [TelemetryEvent])] {
        var groups: [(source: Source, events: [TelemetryEvent])] = []
        var indexes: [Source: Int] = [:]
        for event in events {
            let source = Source(clientId: event.clientId, device: event.device)
            // Most events have the same source as the one before, which is faster to compare than to hash.
            if let last = groups.indices.last, groups[last].source == source {
                groups[last].events.append(event)
            } else if let known = indexes[source] {
                groups[known].events.append(event)
            } else {
                indexes[source] = groups.count
                groups.append((source, [event]))
            }
        }
        return groups
    }

    /// What has a resource of its own.
    private struct Source: Hashable {
        let clientId: String?
        let device: TelemetryDeviceInfo
    }

    private func write(_ source: Source, to writer: inout JSONWriter) {
        writer.attributes { list in
            list.attribute("service.name", text: serviceName)
            list.attribute("service.version", text: source.device.appVersion)
            list.attribute("service.instance.id", text: source.clientId)
            list.attribute("device.model.identifier", text: source.device.deviceModel)
            list.attribute("host.name", text: source.device.deviceName)
            list.attribute("os.name", text: source.device.deviceType)
            list.attribute("os.version", text: source.device.osVersion)
        }
    }

    /// Writes the members of a log record.
    private static func write(_ event: TelemetryEvent, to writer: inout JSONWriter) {
        let severity = OTLPSeverity(event)
        let trace = TraceContext(event.attributes)
        // JSON of protocol buffers represents an integer of 64 bits as a string.
        writer.member("timeUnixNano", String(nanoseconds(of: event.timestamp)))
        writer.member("severityNumber", severity.number)
        writer.member("severityText", severity.text)
        writer.member("eventName", event.name)
        if let text = event.property1 {
            writer.key("body")
            writer.object { $0.member("stringValue", text) }
        }
        if let traceId = trace.traceId { writer.member("traceId", traceId) }
        if let spanId = trace.spanId { writer.member("spanId", spanId) }
        writer.attributes { list in
            list.attribute("log.record.uid", text: event.eventId)
            list.attribute("session.id", text: event.sessionId)
            // The convention is an integer.
            if let number = Int64(event.threadId) { list.attribute("thread.id", .int(number)) }
            list.attribute("livetelemetry.sequence", .int(Int64(clamping: event.sequence)))
            list.attribute("livetelemetry.level", text: event.level.rawValue)
            list.attribute("livetelemetry.scenario", text: event.scenario)
            for (name, value) in event.attributes.sorted(by: { $0.key < $1.key }) where !trace.represents(name) {
                let isReserved = reserved.contains(name) || name.hasPrefix("livetelemetry.")
                list.attribute(isReserved ? "livetelemetry.attribute.\(name)" : name, value)
            }
        }
    }

    private static let reserved: Set = ["log.record.uid", "session.id", "thread.id"]

    private static func nanoseconds(of date: Date) -> UInt64 {
        // Relative to 2001, a date has more digits than relative to 1970.
        let seconds = date.timeIntervalSinceReferenceDate
        let whole = seconds.rounded(.down)
        let unix = whole + Date.timeIntervalBetween1970AndReferenceDate
        guard unix >= 0 else { return 0 }
        guard unix < Double(UInt64.max / 1_000_000_000) else { return .max }
        return UInt64(unix) * 1_000_000_000 + UInt64(((seconds - whole) * 1_000_000).rounded()) * 1_000
    }
}

/// A list of `KeyValue` messages.
extension JSONWriter {
    /// Writes the list, whose messages `body` writes, with its key `attributes`.
    fileprivate mutating func attributes(_ body: (inout JSONWriter) -> Void) {
        key("attributes")
        array(body)
    }

    /// Writes a text, unless it is nil or empty.
    fileprivate mutating func attribute(_ key: String, text: String?) {
        if let text, !text.isEmpty { attribute(key, .string(text)) }
    }

    fileprivate mutating func attribute(_ key: String, _ value: TelemetryValue) {
        object { message in
            message.member("key", key)
            message.key("value")
            message.object { writer in
                switch value {
                case .string(let text): writer.member("stringValue", text)
                case .int(let number): writer.member("intValue", String(number))
                case .double(let number) where number.isFinite:
                    writer.key("doubleValue")
                    writer.number(number)
                // JSON of protocol buffers represents a number that is not finite as a string.
                case .double(let number):
                    writer.member("doubleValue", number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
                case .bool(let flag): writer.member("boolValue", flag)
                case .date(let date): writer.member("stringValue", TimestampText.string(nearest: date))
                }
            }
        }
    }
}
