package import TelemetryModels

/// Writes events as lines: a header whenever rarely changing values change, then the differences from it.
package struct EventLineEncoder {
    package let buffer = ByteBuffer(capacity: 8 << 10)
    /// How many lines the buffer has.
    package private(set) var lineCount = 0
    /// The current header.
    package private(set) var context: EventContext?
    /// The index of the current header in the buffer; nil if it was written earlier.
    package private(set) var header: (line: Int, offset: Int)?
    /// Whether the buffer begins with a header.
    package private(set) var beginsWithHeader = false
    private var timestamps = TimestampWriter()

    package init(context: EventContext? = nil, header: (line: Int, offset: Int)? = nil) {
        self.context = context
        self.header = header
    }

    /// Empties the buffer; `context` is the header that applies to the next lines.
    package mutating func begin(below context: EventContext?) {
        buffer.truncate()
        lineCount = 0
        self.context = context
        header = nil
        beginsWithHeader = false
    }

    /// Appends the lines of one event. Returns false for a date that cannot be written; the buffer is then invalid.
    package mutating func append(_ event: TelemetryEvent) -> Bool { withUnsafePointer(to: event) { append($0) } }

    /// Appends the lines of an event without copying it.
    package mutating func append(_ event: UnsafePointer<TelemetryEvent>) -> Bool {
        if let context, context.holds(event) { return appendLine(event, below: context) }
        let next = EventContext(event.pointee)
        let isFirst = context == nil
        header = (lineCount, buffer.count)
        if lineCount == 0 { beginsWithHeader = true }
        context = next
        appendHeader(next, isFirst: isFirst)
        return appendLine(event, below: next)
    }

    private mutating func appendHeader(_ context: EventContext, isFirst: Bool) {
        buffer.append(literal: "{\"header\":")
        let start = buffer.count
        buffer.append(literal: "{\"session\":")
        buffer.append(quoted: context.sessionId)
        append(",\"client\":", context.clientId)
        append(",\"ids\":", context.idPrefix)
        append(",\"deviceType\":", context.device.deviceType)
        append(",\"deviceName\":", context.device.deviceName)
        append(",\"deviceModel\":", context.device.deviceModel)
        append(",\"osVersion\":", context.device.osVersion)
        append(",\"appVersion\":", context.device.appVersion)
        append(",\"thread\":", context.threadId)
        append(",\"scenario\":", context.scenario)
        append(",\"level\":", context.level.rawValue)
        // A segment has one writer: its version is written once.
        if isFirst { append(",\"library\":", LiveTelemetryVersion.version) }
        buffer.append(UInt8(ascii: "}"))
        let checksum = LineChecksum.hash(UnsafeRawBufferPointer(rebasing: buffer.bytes[start...]))
        buffer.append(literal: ",\"checksum\":\"")
        buffer.append(hexadecimal: checksum)
        buffer.append(literal: "\"}\n")
        lineCount += 1
    }

    private mutating func appendLine(_ event: UnsafePointer<TelemetryEvent>, below context: EventContext) -> Bool {
        buffer.append(literal: "{\"seq\":")
        buffer.append(decimal: event.pointee.sequence)
        appendIdentifier(of: event, below: context)
        buffer.append(literal: ",\"time\":\"")
        guard timestamps.append(event.pointee.timestamp, to: buffer) else { return false }
        buffer.append(literal: "\",\"name\":")
        buffer.append(quoted: event.pointee.name)
        if !event.pointee.threadId.isIdentical(to: context.threadId) { append(",\"thread\":", event.pointee.threadId) }
        if !EventContext.isSame(event.pointee.scenario, context.scenario) {
            append(orNull: ",\"scenario\":", event.pointee.scenario)
        }
        if event.pointee.level != context.level { append(",\"level\":", event.pointee.level.rawValue) }
        append(",\"property1\":", event.pointee.property1)
        if !event.pointee.attributes.isEmpty, !append(event.pointee.attributes) { return false }
        buffer.append(literal: "}\n")
        lineCount += 1
        return true
    }

    private func append(_ attributes: [String: TelemetryValue]) -> Bool {
        buffer.append(literal: ",\"attributes\":{")
        var isFirst = true
        for (key, value) in attributes {
            if !isFirst { buffer.append(UInt8(ascii: ",")) }
            isFirst = false
            buffer.append(quoted: key)
            buffer.append(UInt8(ascii: ":"))
            guard buffer.append(value) else { return false }
        }
        buffer.append(UInt8(ascii: "}"))
        return true
    }

    /// Appends nothing if the identifier is the session's with the sequence number, only the number if the header has the
    /// prefix, otherwise the whole identifier.
    private func appendIdentifier(of event: UnsafePointer<TelemetryEvent>, below context: EventContext) {
        let isWritten = event.pointee.eventId.withBytes { bytes in
            guard let number = EventNumber(bytes) else { return false }
            if number.number == event.pointee.sequence, number.isPrefix(context.sessionId, of: bytes) { return true }
            guard let prefix = context.idPrefix, number.isPrefix(prefix, of: bytes) else { return false }
            buffer.append(literal: ",\"id\":")
            buffer.append(decimal: number.number)
            return true
        }
        if !isWritten { append(",\"id\":", event.pointee.eventId) }
    }

    private func append(_ key: StaticString, _ text: String?) {
        guard let text else { return }
        buffer.append(literal: key)
        buffer.append(quoted: text)
    }

    private func append(orNull key: StaticString, _ text: String?) {
        buffer.append(literal: key)
        if let text { buffer.append(quoted: text) } else { buffer.append(literal: "null") }
    }
}
