import Foundation
@_spi(Tooling) import TelemetryModels

/// All fields and attributes of one event.
struct EventDetail: Sendable {
    private struct Field {
        let label: String
        let value: String
        var look = ScreenLine.Look.plain
    }

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
    func lines(width: Int, time: TimeText) -> [ScreenLine] {
        var lines: [ScreenLine] = []
        for field in fields(time) { add(field.value, label: field.label, field.look, width, to: &lines) }
        if let text = event.property1 {
            lines.append(ScreenLine())
            lines.append(ScreenLine(" text", .dim))
            add(Self.lines(of: text), indentation: 3, width, to: &lines)
        }
        if !event.attributes.isEmpty {
            lines.append(ScreenLine())
            lines.append(
                ScreenLine(" \(event.attributes.count == 1 ? "1 attribute" : "\(event.attributes.count) attributes")", .dim))
        }
        for (name, value) in sortedAttributes {
            var head: [ScreenLine] = name.visible.wrapped(to: width - 4).map { ScreenLine("   \($0)", .bold) }
            let type = "  (\(value.typeName))"
            if let last = head.last, last.width + type.count <= width { head[head.count - 1].add(type, .dim) }
            let shown = Self.lines(of: value.plain)
            if shown.count == 1, head.count == 1, head[0].width + 2 + shown[0].visible.displayWidth <= width {
                head[0].add("  \(shown[0])")
                lines += head
            } else {
                lines += head
                add(shown, indentation: 6, width, to: &lines)
            }
        }
        return lines
    }

    private func fields(_ time: TimeText) -> [Field] {
        let severity = SeverityMark(event)
        return [
            Field(label: "name", value: event.name, look: .bold),
            Field(label: "local time", value: time.dayAndTime(event.timestamp)),
            Field(label: "UTC time", value: TimestampText.string(nearest: event.timestamp)),
            Field(label: "level", value: event.level.rawValue, look: event.level == .diagnostic ? .yellow : .plain),
        ] + (severity.map { [Field(label: "severity", value: $0.text, look: $0.look)] } ?? []) + [
            Field(label: "scenario", value: event.scenario ?? "–", look: event.scenario == nil ? .dim : .tinted),
            Field(
                label: "client", value: event.clientId.map(aliases.nameAndIdentifier) ?? "–",
                look: event.clientId.map { .tintedBy($0) } ?? .dim),
            Field(label: "session", value: event.sessionId), Field(label: "sequence", value: String(event.sequence)),
            Field(label: "identifier", value: event.eventId), Field(label: "thread", value: event.threadId),
            Field(label: "device", value: event.device.deviceName), Field(label: "model", value: event.device.deviceModel),
            Field(label: "system", value: "\(event.device.deviceType) \(event.device.osVersion)"),
            Field(label: "app version", value: event.device.appVersion),
        ]
    }

    private var sortedAttributes: [(key: String, value: TelemetryValue)] { event.attributes.sorted { $0.key < $1.key } }

    private func add(_ text: String, label: String, _ look: ScreenLine.Look, _ width: Int, to lines: inout [ScreenLine]) {
        var label = label
        for piece in text.visible.wrapped(to: max(8, width - Self.labelWidth - 2)) {
            var line = ScreenLine(" ")
            line.add(label, .dim, column: Self.labelWidth)
            line.add(piece, look)
            lines.append(line)
            label = ""
        }
    }

    private func add(_ texts: [String], indentation: Int, _ width: Int, to lines: inout [ScreenLine]) {
        let start = lines.count
        for text in texts {
            for piece in text.visible.wrapped(to: max(8, width - indentation)) {
                guard lines.count - start < Self.maximumLines else {
                    lines.append(ScreenLine(String(repeating: " ", count: indentation) + "… y copies the whole text", .dim))
                    return
                }
                lines.append(ScreenLine(String(repeating: " ", count: indentation) + piece))
            }
        }
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
