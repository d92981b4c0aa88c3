import TelemetryModels

/// Writes events as lines: a header where something changes that hardly ever does, then what differs from it.
struct EventLineEncoder {
    private(set) var bytes: [UInt8] = []
    /// How many lines the bytes have.
    private(set) var lineCount = 0
    /// The header in force.
    private(set) var context: EventContext?
    /// Where in these bytes the header in force stands; nil where it stood before them.
    private(set) var header: (line: Int, offset: Int)?
    /// Whether these bytes begin with a header.
    private(set) var beginsWithHeader = false

    init(context: EventContext?) { self.context = context }

    /// Appends the lines of one event. Returns false, having appended nothing, for a date that cannot be written.
    mutating func append(_ event: TelemetryEvent) -> Bool {
        let count = bytes.count
        let before = (lineCount, context, header)
        if !(context?.holds(event) ?? false) {
            let next = EventContext(event)
            header = (lineCount, bytes.count)
            if lineCount == 0 { beginsWithHeader = true }
            context = next
            appendHeader(next)
        }
        guard let context, appendLine(event, below: context) else {
            bytes.removeLast(bytes.count - count)
            (lineCount, context, header) = before
            return false
        }
        return true
    }

    /// The first line of every segment.
    static func preamble(isRewritten: Bool) -> [UInt8] {
        Array((isRewritten ? "{\"segment\":1,\"rewritten\":true}\n" : "{\"segment\":1}\n").utf8)
    }

    private mutating func appendHeader(_ context: EventContext) {
        bytes.append(literal: "{\"header\":{\"session\":")
        bytes.append(quoted: context.sessionId)
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
        bytes.append(literal: "}}\n")
        lineCount += 1
    }

    private mutating func appendLine(_ event: TelemetryEvent, below context: EventContext) -> Bool {
        bytes.append(literal: "{\"seq\":")
        bytes.append(decimal: event.sequence)
        appendIdentifier(of: event, below: context)
        bytes.append(literal: ",\"time\":\"")
        guard TimestampFormat.append(event.timestamp, to: &bytes) else { return false }
        bytes.append(literal: "\",\"name\":")
        bytes.append(quoted: event.name)
        if !EventContext.isSame(event.threadId, context.threadId) { append(",\"thread\":", event.threadId) }
        if !EventContext.isSame(event.scenario, context.scenario) { append(orNull: ",\"scenario\":", event.scenario) }
        if event.level != context.level { append(",\"level\":", event.level.rawValue) }
        append(",\"property1\":", event.property1)
        if !event.attributes.isEmpty {
            bytes.append(literal: ",\"attributes\":{")
            var isFirst = true
            for (key, value) in event.attributes {
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                bytes.append(quoted: key)
                bytes.append(UInt8(ascii: ":"))
                guard bytes.append(value) else { return false }
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(literal: "}\n")
        lineCount += 1
        return true
    }

    /// Nothing for the identifier that follows from session and sequence, a number below a known prefix, otherwise the whole.
    private mutating func appendIdentifier(of event: TelemetryEvent, below context: EventContext) {
        if let number = EventNumber(event.eventId) {
            if number.number == event.sequence, number.isPrefix(context.sessionId) { return }
            if let prefix = context.idPrefix, number.isPrefix(prefix) {
                bytes.append(literal: ",\"id\":")
                bytes.append(decimal: number.number)
                return
            }
        }
        append(",\"id\":", event.eventId)
    }

    private mutating func append(_ key: StaticString, _ text: String?) {
        guard let text else { return }
        bytes.append(literal: key)
        bytes.append(quoted: text)
    }

    private mutating func append(orNull key: StaticString, _ text: String?) {
        bytes.append(literal: key)
        if let text { bytes.append(quoted: text) } else { bytes.append(literal: "null") }
    }
}
