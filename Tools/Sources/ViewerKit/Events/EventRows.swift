public import TelemetryModels

/// Formats events as aligned rows of a stream. A column grows with its contents and never shrinks.
public struct EventRows {
    private let columns: [EventColumn]
    private let style: Style
    private let limit: Int?
    private let time: TimeText
    private let aliases: ClientAliases
    private var widths: [Int]

    /// - Parameter width: The terminal's columns; nil does not truncate rows.
    public init(
        columns: [EventColumn] = EventColumn.standard, style: Style, width: Int?, time: TimeText = TimeText(),
        aliases: ClientAliases = ClientAliases()
    ) {
        self.aliases = aliases
        self.columns = columns
        self.style = style
        self.limit = width
        self.time = time
        widths = columns.map { max($0.minimumWidth, $0.rawValue.count) }
    }

    /// The header line.
    public var header: String { joined(columns.map { $0.rawValue.uppercased() }) { text, _ in style.dim(text) } }

    public mutating func row(_ event: TelemetryEvent) -> String {
        let cells = columns.map { text(of: event, $0).visible }
        for index in cells.indices {
            widths[index] = max(widths[index], min(cells[index].displayWidth, columns[index].maximumWidth))
        }
        return joined(cells) { text, column in look(text, column, event) }
    }

    private func text(of event: TelemetryEvent, _ column: EventColumn) -> String {
        if column == .client, let clientId = event.clientId { return aliases.label(of: clientId) }
        if column == .level, let severity = event.statedSeverity, severity != .info, severity != .debug {
            return severity.rawValue
        }
        return column.text(of: event, time: time)
    }

    private func joined(_ cells: [String], _ look: (String, EventColumn) -> String) -> String {
        var line = ""
        var used = 0
        for (index, cell) in cells.enumerated() {
            let room = limit.map { $0 - used } ?? .max
            guard room > 0 else { break }
            let isLast = index == cells.count - 1
            let text = cell.fittedPath(to: isLast ? room : min(widths[index], room))
            line += look(text, columns[index])
            let padding = widths[index] - text.displayWidth + 2
            if !isLast, cells[(index + 1)...].contains(where: { !$0.isEmpty }) { line += String(repeating: " ", count: padding) }
            used += text.displayWidth + padding
        }
        return line
    }

    private func look(_ text: String, _ column: EventColumn, _ event: TelemetryEvent) -> String {
        switch column {
        case .date, .time, .session, .sequence, .thread, .device, .id, .attributes: style.dim(text)
        case .scenario: event.scenario == nil ? style.dim(text) : style.tinted(text)
        case .level: severityLook(event, otherwise: { $0 })(text)
        // Shows the severity even if it has no column.
        case .name: severityLook(event, otherwise: style.bold)(text)
        // Distinguishes the events of several clients.
        case .client: event.clientId == nil ? style.dim(text) : style.tinted(text)
        case .text: text
        }
    }

    private func severityLook(
        _ event: TelemetryEvent, otherwise plain: @escaping (String) -> String
    ) -> (String) -> String {
        switch event.severity {
        case let severity where severity >= .error: style.red
        case .warning: style.yellow
        case .trace, .debug: style.dim
        default: plain
        }
    }
}
