import TelemetryModels
@_spi(Tooling) import TelemetrySystem

extension WireEventFields {
    /// The complete event as its line below a header that applies to it, with a line feed.
    func line(below header: WireLineHeader) -> [UInt8] {
        var line = JSONWriter(capacity: 256)
        line.object { write(to: &$0, below: header) }
        return line.bytes + [UInt8(ascii: "\n")]
    }

    /// Whether the identifier is the session, a dash and the sequence, which a line leaves out.
    var hasImplicitIdentifier: Bool { isSame(texts[.eventId], "\(texts[.sessionId] ?? "")-\(sequence ?? 0)") }

    private func write(to writer: inout JSONWriter, below header: WireLineHeader) {
        writer.member("seq", sequence ?? 0)
        if sequence == 0 { writer.member("sequence", 0) }
        if !hasImplicitIdentifier { writer.member("id", texts[.eventId] ?? "") }
        writer.key("time")
        let time = texts[.eventTimestamp] ?? ""
        if let start = header.start, let nanoseconds = WireLineTime.nanoseconds(ofCanonical: time) {
            writer.raw(WireLineTime.number(nanoseconds, after: start).utf8)
        } else {
            writer.string(time)
        }
        writer.member("name", texts[.eventName] ?? "")
        let (scenario, thread) = (texts[.scenario], texts[.threadId])
        if let thread, !isSame(thread, header.fields.texts[.threadId]) { writer.member("thread", thread) }
        if !isSame(scenario, header.fields.texts[.scenario]) {
            writer.key("scenario")
            if let scenario { writer.string(scenario) } else { writer.raw("null".utf8) }
        }
        if let level = texts[.logLevel], level != header.fields.texts[.logLevel] { writer.member("level", level) }
        if let text = texts[.property1] { writer.member("text", text) }
        guard let attributes else { return }
        writer.key("attributes")
        writer.object { Self.write(attributes, inLine: &$0) }
    }

    /// Writes attributes as the members of an object in a line.
    static func write(_ attributes: [(name: String, value: WireValue)], inLine writer: inout JSONWriter) {
        for (name, value) in attributes {
            writer.key(name)
            value.writeInLine(to: &writer)
        }
    }
}
