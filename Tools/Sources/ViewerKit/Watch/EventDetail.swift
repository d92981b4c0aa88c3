import Foundation
@_spi(Tooling) import TelemetryModels

/// All fields and attributes of one event.
struct EventDetail: Sendable {
    private struct Field {
        let label: String
        let value: String
        var look = ScreenLine.Look.plain
        /// The field's name in a query; nil if queries have no such field.
        var name: String?
    }

    /// A line on the screen, and the field that it shows.
    typealias Line = (line: ScreenLine, field: EventField?)

    /// The maximum number of lines of one text on the screen.
    private static let maximumLines = 20_000
    private static let labelWidth = 13

    let event: TelemetryEvent
    private let aliases: ClientAliases

    init(_ event: TelemetryEvent, aliases: ClientAliases = ClientAliases()) {
        self.event = event
        self.aliases = aliases
    }

    /// The event as one JSON object, as `events --format json` prints it.
    var json: String {
        var bytes: [UInt8] = []
        var json = EventJSON()
        json.append(event, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The fields and attributes as text, with control characters escaped.
    func text(time: TimeText) -> String {
        var lines = fields(time).map { "\($0.label): \($0.value.visible)" }
        if let text = event.property1 {
            let shown = Self.lines(of: text)
            lines += shown.count == 1 ? ["text: \(shown[0].visible)"] : ["text:"] + shown.map { "  \($0.visible)" }
        }
        if !event.attributes.isEmpty { lines.append("attributes:") }
        for (name, value) in sortedAttributes {
            let shown = Self.lines(of: value.plain)
            let label = "  \(name.visible) (\(value.typeName)):"
            lines += shown.count == 1 ? ["\(label) \(shown[0].visible)"] : [label] + shown.map { "    \($0.visible)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The fields and attributes in lines of this width.
    func lines(width: Int, time: TimeText) -> [Line] {
        var lines: [Line] = []
        func append(_ shown: [ScreenLine], _ field: EventField? = nil) { lines += shown.map { ($0, field) } }
        for field in fields(time) {
            append(Self.lines(field.value, label: field.label, field.look, width), field.name.map(EventField.init(name:)))
        }
        if let text = event.property1 {
            append(
                [ScreenLine(), ScreenLine(" text", .dim)] + Self.lines(Self.lines(of: text), 3, width), EventField(name: "text"))
        }
        if !event.attributes.isEmpty {
            let title = event.attributes.count == 1 ? "1 attribute" : "\(event.attributes.count) attributes"
            append([ScreenLine(), ScreenLine(" \(title)", .dim)])
        }
        for (name, value) in sortedAttributes {
            var head: [ScreenLine] = name.visible.wrapped(to: width - 4).map { ScreenLine("   \($0)", .bold) }
            let type = "  (\(value.typeName))"
            if let last = head.last, last.width + type.count <= width { head[head.count - 1].add(type, .dim) }
            let shown = Self.lines(of: value.plain)
            if shown.count == 1, head.count == 1, head[0].width + 2 + shown[0].visible.displayWidth <= width {
                head[0].add("  \(shown[0])")
            } else {
                head += Self.lines(shown, 6, width)
            }
            append(head, EventField(attribute: name))
        }
        return lines
    }

    private func fields(_ time: TimeText) -> [Field] {
        let severity = SeverityMark(event)
        return [
            Field(label: "name", value: event.name, look: .bold, name: "name"),
            Field(label: "local time", value: time.dayAndTime(event.timestamp), name: "time"),
            Field(label: "UTC time", value: TimestampText.string(nearest: event.timestamp), name: "time"),
            Field(
                label: "level", value: event.level.rawValue, look: event.level == .diagnostic ? .yellow : .plain, name: "level"),
        ] + (severity.map { [Field(label: "severity", value: $0.text, look: $0.look, name: "severity")] } ?? []) + [
            Field(
                label: "scenario", value: event.scenario ?? "–", look: event.scenario == nil ? .dim : .tinted, name: "scenario"),
            Field(
                label: "client", value: event.clientId.map(aliases.nameAndIdentifier) ?? "–",
                look: event.clientId.map { .tintedBy($0) } ?? .dim, name: "client"),
            Field(label: "session", value: event.sessionId, name: "session"),
            Field(label: "sequence", value: String(event.sequence), name: "sequence"),
            Field(label: "identifier", value: event.eventId, name: "id"),
            Field(label: "thread", value: event.threadId, name: "thread"),
            Field(label: "device", value: event.device.deviceName),
            Field(label: "model", value: event.device.deviceModel, name: "device"),
            Field(label: "system", value: "\(event.device.deviceType) \(event.device.osVersion)"),
            Field(label: "app version", value: event.device.appVersion, name: "app"),
        ]
    }

    private var sortedAttributes: [(key: String, value: TelemetryValue)] { event.attributes.sorted { $0.key < $1.key } }

    private static func lines(_ text: String, label: String, _ look: ScreenLine.Look, _ width: Int) -> [ScreenLine] {
        text.visible.wrapped(to: max(8, width - labelWidth - 2)).enumerated().map { index, piece in
            var line = ScreenLine(" ")
            line.add(index == 0 ? label : "", .dim, column: labelWidth)
            line.add(piece, look)
            return line
        }
    }

    private static func lines(_ texts: [String], _ indentation: Int, _ width: Int) -> [ScreenLine] {
        let margin = String(repeating: " ", count: indentation)
        var lines: [ScreenLine] = []
        for text in texts {
            for piece in text.visible.wrapped(to: max(8, width - indentation)) {
                guard lines.count < maximumLines else { return lines + [ScreenLine("\(margin)… y copies the whole text", .dim)] }
                lines.append(ScreenLine(margin + piece))
            }
        }
        return lines
    }

    /// The lines of a text, those of a JSON object or array indented.
    private static func lines(of text: String) -> [String] {
        JSONIndenter.lines(text) ?? text.split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
    }
}

extension TelemetryValue {
    fileprivate var typeName: String {
        switch self {
        case .string: "string"
        case .int: "int"
        case .double: "double"
        case .bool: "bool"
        case .date: "date"
        }
    }
}
