import TelemetryModels
import TelemetrySystem

/// Writes events as lines: a header whenever rarely changing values change, then the differences from it.
struct EventLineEncoder {
    let buffer = ByteBuffer(capacity: 8 << 10)
    /// How many lines the buffer has.
    private(set) var lineCount = 0
    /// The current header.
    private(set) var context: EventContext?
    /// The index of the current header in the buffer; nil if it was written earlier.
    private(set) var header: (line: Int, offset: Int)?
    /// Whether the buffer begins with a header.
    private(set) var beginsWithHeader = false
    /// What the next header should list.
    private var repeated = RepeatedTexts()
    /// The position of the current header's end, counted from the beginning of the buffer: negative if it was written earlier.
    private var headerEnd = 0
    /// The number of bytes of tables in the buffer.
    private var tableBytes = 0
    private var timestamps = TimestampWriter()

    /// The number of bytes after which a header is repeated, so that a damaged one concerns few events, and a reader of the last events
    /// finds their header near them.
    private static let maximumDistance = 64 << 10

    /// Empties the buffer.
    /// - Parameters:
    ///   - context: The header that applies to the next lines.
    ///   - distance: The number of bytes after that header.
    ///   - repeated: What is known of the lines below it.
    mutating func begin(below context: EventContext?, distance: Int = 0, repeated: RepeatedTexts = RepeatedTexts()) {
        buffer.truncate()
        lineCount = 0
        self.context = context
        self.repeated = repeated
        headerEnd = -distance
        tableBytes = 0
        header = nil
        beginsWithHeader = false
    }

    /// What the next header should list; the encoder forgets it.
    mutating func takeRepeated() -> RepeatedTexts {
        defer { repeated = RepeatedTexts() }
        return repeated
    }

    /// The number of bytes below the current header.
    var bytesBelowHeader: Int { buffer.count - headerEnd }

    /// The number of bytes in the buffer without tables, which do not count for the size of an event.
    var countWithoutTables: Int { buffer.count - tableBytes }

    @inline(__always)
    private var isHeaderDue: Bool {
        repeated.isHeaderDue || buffer.count &- headerEnd > max(Self.maximumDistance, repeated.headerBytes)
    }

    /// Appends the lines of one event. Returns false for a date that cannot be written; the buffer is then invalid.
    mutating func append(_ event: TelemetryEvent) -> Bool { withUnsafePointer(to: event) { append($0) } }

    /// Appends the lines of an event without copying it.
    mutating func append(_ event: UnsafePointer<TelemetryEvent>) -> Bool {
        event.withFields { append($0, of: event) != nil }
    }

    /// Appends the lines of an event.
    /// - Parameters:
    ///   - fields: The event's values.
    ///   - event: The same event.
    /// - Returns: The event's time; nil for a date that cannot be written. The buffer is then invalid.
    @inline(__always)
    mutating func append(_ fields: EventFields, of event: UnsafePointer<TelemetryEvent>) -> TimestampParts? {
        if let context, context.holds(event), !isHeaderDue { return appendLine(fields, below: context) }
        let origin = EventOrigin(
            clientId: event.pointee.clientId, sessionId: event.pointee.sessionId, device: event.pointee.device)
        return appendLine(fields, below: beginHeader(origin, fields))
    }

    /// Appends the lines of an event of a batch with one origin.
    /// - Parameter isFirst: Whether it is the batch's first event.
    /// - Returns: The event's time; nil for a date that cannot be written. The buffer is then invalid.
    @inline(__always)
    mutating func append(_ fields: EventFields, of origin: EventOrigin, isFirst: Bool) -> TimestampParts? {
        if let context, !isFirst || context.holds(origin), !isHeaderDue { return appendLine(fields, below: context) }
        return appendLine(fields, below: beginHeader(origin, fields))
    }

    private mutating func beginHeader(_ origin: EventOrigin, _ fields: EventFields) -> EventContext {
        let former = context.flatMap { $0.holds(origin) ? $0 : nil }
        let next = EventContext(
            origin, fields, level: former == nil ? fields.level : repeated.commonLevel,
            tables: former.map { repeated.next(after: $0) } ?? HeaderTables(), after: former)
        let isFirst = context == nil
        let start = buffer.count
        header = (lineCount, start)
        if lineCount == 0 { beginsWithHeader = true }
        context = next
        // A segment has one writer: its version is written once.
        tableBytes += next.appendHeader(withLibrary: isFirst, to: buffer)
        lineCount += 1
        headerEnd = buffer.count
        repeated.beginHeader(byteCount: headerEnd - start)
        return next
    }

    private mutating func appendLine(_ event: EventFields, below context: EventContext) -> TimestampParts? {
        buffer.append(literal: "{\"seq\":")
        buffer.append(decimal: event.sequence)
        if let identifier = event.identifier { append(identifier, ofEvent: event.sequence, below: context) }
        buffer.append(literal: ",\"time\":")
        guard let time = appendTime(of: event, below: context) else { return nil }
        buffer.append(literal: ",\"name\":")
        let name = repeated.number(ofName: event.name, in: context.tables.names)
        append(name, or: event.name)
        if !context.threadId.withBytes({ $0.isIdentical(to: event.thread) }) {
            buffer.append(literal: ",\"thread\":")
            let thread = repeated.number(ofThread: event.thread, in: context.tables.threads)
            append(thread, or: event.thread)
        }
        if !EventContext.isSame(context.scenario, event.scenario) {
            buffer.append(literal: ",\"scenario\":")
            if let scenario = event.scenario {
                let number = repeated.number(ofScenario: scenario, in: context.tables.scenarios)
                append(number, or: scenario)
            } else {
                buffer.append(literal: "null")
            }
        }
        repeated.note(event.level)
        if event.level != context.level { append(",\"level\":", event.level.rawValue) }
        if let property1 = event.property1 {
            buffer.append(literal: ",\"text\":")
            buffer.append(quoted: property1)
        }
        if !event.attributes.isEmpty, !append(event.attributes) { return nil }
        buffer.append(literal: "}\n")
        lineCount += 1
        return time
    }

    @inline(__always)
    private func append(_ number: Int?, or text: EventFields.Text) {
        if let number { buffer.append(decimal: UInt64(number)) } else { buffer.append(quoted: text) }
    }

    /// Appends the time as a number if the header has a start, otherwise as a date.
    @inline(__always)
    private mutating func appendTime(of event: EventFields, below context: EventContext) -> TimestampParts? {
        if let start = context.tables.start, let time = TimestampParts(event.timestamp),
            TimeOffset.append(time, after: start, to: buffer)
        {
            return time
        }
        buffer.append(UInt8(ascii: "\""))
        defer { buffer.append(UInt8(ascii: "\"")) }
        return timestamps.append(event.timestamp, to: buffer)
    }

    private func append(_ attributes: EventAttributes) -> Bool {
        buffer.append(literal: ",\"attributes\":")
        var next = UInt8(ascii: "{")
        switch attributes {
        case .values(let values):
            for (name, value) in values {
                buffer.append(next)
                next = UInt8(ascii: ",")
                buffer.append(quoted: name)
                buffer.append(UInt8(ascii: ":"))
                guard buffer.append(value) else { return false }
            }
        case .fields(let fields):
            for field in fields {
                buffer.append(next)
                next = UInt8(ascii: ",")
                buffer.append(quoted: field.name)
                buffer.append(UInt8(ascii: ":"))
                switch field.value {
                case .text(let text): buffer.append(quoted: text)
                case .other(let value): guard buffer.append(value) else { return false }
                }
            }
        }
        buffer.append(UInt8(ascii: "}"))
        return true
    }

    /// Appends nothing if the identifier is the session's with the sequence number, only the number if the header has the
    /// prefix, otherwise the whole identifier.
    private func append(_ identifier: EventFields.Text, ofEvent sequence: UInt64, below context: EventContext) {
        if let number = EventNumber(identifier) {
            if number.number == sequence, number.isPrefix(context.sessionId, of: identifier) { return }
            if let prefix = context.idPrefix, number.isPrefix(prefix, of: identifier) {
                buffer.append(literal: ",\"id\":")
                return buffer.append(decimal: number.number)
            }
        }
        buffer.append(literal: ",\"id\":")
        buffer.append(quoted: identifier)
    }

    private func append(_ key: StaticString, _ text: String?) {
        guard let text else { return }
        buffer.append(literal: key)
        buffer.append(quoted: text)
    }
}
