import Foundation
public import TelemetryModels

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
        var output = JSONOutput()
        output.raw("{\"resourceLogs\":[")
        for (index, group) in Self.groups(events).enumerated() {
            if index > 0 { output.raw(",") }
            append(group.source, to: &output)
            for (index, event) in group.events.enumerated() {
                if index > 0 { output.raw(",") }
                append(event, to: &output)
            }
            output.raw("]}]}")
        }
        output.raw("]}")
        return output.bytes
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

    /// Appends the resource's messages up to the first record.
    private func append(_ source: Source, to output: inout JSONOutput) {
        output.raw("{\"resource\":{")
        var attributes = AttributeList(to: &output)
        attributes.add("service.name", text: serviceName, to: &output)
        attributes.add("service.version", text: source.device.appVersion, to: &output)
        attributes.add("service.instance.id", text: source.clientId, to: &output)
        attributes.add("device.model.identifier", text: source.device.deviceModel, to: &output)
        attributes.add("host.name", text: source.device.deviceName, to: &output)
        attributes.add("os.name", text: source.device.deviceType, to: &output)
        attributes.add("os.version", text: source.device.osVersion, to: &output)
        attributes.end(to: &output)
        output.raw("},\"scopeLogs\":[{\"scope\":{\"name\":\"LiveTelemetry\",\"version\":")
        output.string(LiveTelemetryVersion.version)
        output.raw("},\"logRecords\":[")
    }

    private func append(_ event: TelemetryEvent, to output: inout JSONOutput) {
        output.raw("{\"timeUnixNano\":")
        output.quoted(Self.nanoseconds(of: event.timestamp))
        let severity = OTLPSeverity(event)
        output.raw(",\"severityNumber\":")
        output.number(severity.number)
        output.raw(",\"severityText\":")
        output.string(severity.text)
        output.raw(",\"eventName\":")
        output.string(event.name)
        if let text = event.property1 {
            output.raw(",\"body\":{\"stringValue\":")
            output.string(text)
            output.raw("}")
        }
        let trace = TraceContext(event.attributes)
        if let traceId = trace.traceId {
            output.raw(",\"traceId\":")
            output.string(traceId)
        }
        if let spanId = trace.spanId {
            output.raw(",\"spanId\":")
            output.string(spanId)
        }
        output.raw(",")
        append(attributesOf: event, without: trace, to: &output)
        output.raw("}")
    }

    private func append(attributesOf event: TelemetryEvent, without trace: TraceContext, to output: inout JSONOutput) {
        var attributes = AttributeList(to: &output)
        attributes.add("log.record.uid", text: event.eventId, to: &output)
        attributes.add("session.id", text: event.sessionId, to: &output)
        // The convention is an integer.
        if let number = Int64(event.threadId) { attributes.add("thread.id", .int(number), to: &output) }
        attributes.add("livetelemetry.sequence", .int(Int64(clamping: event.sequence)), to: &output)
        attributes.add("livetelemetry.level", text: event.level.rawValue, to: &output)
        attributes.add("livetelemetry.scenario", text: event.scenario, to: &output)
        for (name, value) in event.attributes.sorted(by: { $0.key < $1.key }) where !trace.represents(name) {
            let isReserved = Self.reserved.contains(name) || name.hasPrefix("livetelemetry.")
            attributes.add(isReserved ? "livetelemetry.attribute.\(name)" : name, value, to: &output)
        }
        attributes.end(to: &output)
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
