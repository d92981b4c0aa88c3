import NIOCore
import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// Writes stored events as lines of the file store's segments.
struct WireLineWriter {
    private struct Header {
        var fields: WireEventFields
        /// In nanoseconds since 1970.
        var start: Int64?
    }

    private(set) var lines = ByteBuffer()
    private var header: Header?

    /// Appends the event's line, below a new header if the last one does not apply to it.
    /// - Parameter event: a stored event in JSON.
    mutating func append(_ event: String) throws {
        let fields = try JSONReader.read(event.utf8) { try WireEventFields(&$0, context: WireEventFields(), place: "event") }
        let time = fields.texts[.eventTimestamp].flatMap { RelayTime($0) }
        let current: Header
        if let header, Self.applies(header.fields, to: fields) {
            current = header
        } else {
            current = Header(fields: fields, start: time.flatMap(WireLineTime.nanoseconds).map(WireLineTime.start))
            appendHeader(current)
            header = current
        }
        var line = JSONWriter(capacity: 256)
        line.object { Self.write(fields, time, below: current, to: &$0) }
        append(line)
    }

    private mutating func append(_ line: JSONWriter) {
        _ = line.withBytes { lines.writeBytes($0) }
        lines.writeInteger(UInt8(ascii: "\n"))
    }

    /// Whether an event can be written below the header. A line cannot say that it has no thread or no level.
    private static func applies(_ header: WireEventFields, to event: WireEventFields) -> Bool {
        WireLineHeader.originKeys.allSatisfy { isSame(header.texts[$0.value], event.texts[$0.value]) }
            && [.threadId, .logLevel].allSatisfy { header.texts[$0] == nil || event.texts[$0] != nil }
    }

    /// Compares bytes, so that Unicode spellings are kept.
    private static func isSame(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.utf8.elementsEqual(right.utf8)
    }

    private mutating func appendHeader(_ header: Header) {
        var values = JSONWriter(capacity: 512)
        values.object { writer in
            for (key, field) in Array(WireLineHeader.originKeys) + Array(WireLineHeader.defaultKeys) {
                guard let text = header.fields.texts[field] else { continue }
                writer.member(key, text)
            }
            if let start = header.start { writer.member("start", WireLineTime.time(start).text) }
        }
        var line = JSONWriter(capacity: 512)
        line.object { writer in
            writer.key("header")
            writer.raw(values.bytes)
            writer.member("checksum", values.checksum)
        }
        append(line)
    }

    private static func write(_ event: WireEventFields, _ time: RelayTime?, below header: Header, to writer: inout JSONWriter) {
        let sequence = event.sequence ?? 0
        writer.member("seq", sequence)
        let identifier = event.texts[.eventId] ?? ""
        if !isSame(identifier, "\(event.texts[.sessionId] ?? "")-\(sequence)") { writer.member("id", identifier) }
        writer.key("time")
        if let start = header.start, let nanoseconds = time.flatMap(WireLineTime.nanoseconds) {
            writer.raw(WireLineTime.number(nanoseconds, after: start).utf8)
        } else {
            writer.string(time?.text ?? "")
        }
        writer.member("name", event.texts[.eventName] ?? "")
        let (scenario, thread) = (event.texts[.scenario], event.texts[.threadId])
        if let thread, !isSame(thread, header.fields.texts[.threadId]) { writer.member("thread", thread) }
        if !isSame(scenario, header.fields.texts[.scenario]) {
            writer.key("scenario")
            if let scenario { writer.string(scenario) } else { writer.raw("null".utf8) }
        }
        if let level = event.texts[.logLevel], level != header.fields.texts[.logLevel] { writer.member("level", level) }
        if let text = event.texts[.property1] { writer.member("text", text) }
        guard let attributes = event.attributes, !attributes.isEmpty else { return }
        writer.key("attributes")
        writer.object { writer in
            for (name, value) in attributes {
                writer.key(name)
                value.writeInLine(to: &writer)
            }
        }
    }
}
