@_spi(Tooling) public import TelemetryModels

/// Formats events as aligned rows of a stream. Later rows keep the columns' widths, so that no row is shifted.
public struct EventRows {
    /// The number of events that determine the widths.
    private static let sampleSize = 1_000
    /// The width to which a text column is truncated before another column is left out.
    private static let minimumWidth = 8

    private let columns: [EventColumn]
    private let style: Style
    private let limit: Int?
    private let time: TimeText
    private let aliases: ClientAliases
    /// The indices of the columns that fit.
    private var shown: [Int] = []
    private var widths: [Int] = []

    /// - Parameter width: The terminal's columns; nil does not truncate strings, and a text that is wider than its column shifts the
    ///   rest of its row.
    public init(
        columns: [EventColumn] = EventColumn.standard, style: Style, width: Int?, time: TimeText = TimeText(),
        aliases: ClientAliases = ClientAliases()
    ) {
        self.aliases = aliases
        self.columns = columns
        self.style = style
        self.limit = width
        self.time = time
        fit(to: [TelemetryEvent]())
    }

    /// The columns for which the terminal is too narrow.
    public var omittedColumns: [EventColumn] {
        columns.indices.filter { !shown.contains($0) }.map { columns[$0] }
    }

    /// The header line.
    public var header: String { joined(columns.map { $0.rawValue.uppercased() }) { text, _ in style.dim(text) } }

    /// Sets the widths of the columns for the first events. Call it before the header is printed.
    public mutating func fit(to events: some Collection<TelemetryEvent>) {
        var natural = columns.map { max($0.minimumWidth, $0.rawValue.count) }
        let texts = columns.indices.filter { columns[$0].tableColumn.kind == .text }
        for event in events.prefix(Self.sampleSize) {
            for index in texts {
                let width = text(of: event, columns[index], RequestSummary(event)).shortened.visible.displayWidth
                natural[index] = max(natural[index], min(width, columns[index].maximumWidth))
            }
        }
        shown = Array(columns.indices)
        widths = natural
        guard let limit else { return }
        let layout = Table.Layout(
            columns.map(\.tableColumn), natural: natural, minimum: Self.minimumWidth, maximum: .max, width: limit)
        (shown, widths) = (layout.shown, layout.widths)
        // The last column gets the rest of the terminal's width.
        guard let last = shown.last else { return }
        widths[last] = max(0, limit - shown.dropLast().reduce(0) { $0 + widths[$1] + 2 })
        favorText(over: last, natural: natural)
    }

    /// Gives the text two thirds of the width that it has together with the last column.
    private mutating func favorText(over last: Int, natural: [Int]) {
        guard let text = shown.first(where: { columns[$0] == .text }), text != last, columns[last] == .attributes else { return }
        let room = widths[text] + widths[last]
        let share = min(natural[text], max(widths[text], room * 2 / 3))
        (widths[text], widths[last]) = (share, room - share)
    }

    public func row(_ event: TelemetryEvent) -> String {
        let request = RequestSummary(event)
        let cells = columns.indices.map {
            text(of: event, columns[$0], request, width: limit == nil || !shown.contains($0) ? nil : widths[$0]).visible
        }
        return joined(cells) { text, column in look(text, column, event) }
    }

    /// - Parameter width: The width of the column; nil if it is not limited.
    private func text(of event: TelemetryEvent, _ column: EventColumn, _ request: RequestSummary?, width: Int? = nil) -> String {
        // Without the column of the text, all attributes are in their column.
        if let request, shown.contains(where: { columns[$0] == .text }) {
            if column == .text {
                return event.rowText(request.text(in: width.map { $0 - event.rowText("").displayWidth }))
            }
            if column == .attributes { return request.attributes.plain }
        }
        if column == .client, let clientId = event.clientId { return aliases.label(of: clientId) }
        if column == .level, let severity = event.statedSeverity, severity != .info, severity != .debug {
            return severity.rawValue
        }
        return column == .text ? event.rowText(event.property1) : column.text(of: event, time: time)
    }

    private func joined(_ cells: [String], _ look: (String, EventColumn) -> String) -> String {
        var line = ""
        var used = 0
        for (position, index) in shown.enumerated() {
            let text = limit.map { cells[index].fittedPath(to: min(room(for: index), $0 - used)) } ?? cells[index]
            line += look(text, columns[index])
            guard shown[(position + 1)...].contains(where: { !cells[$0].isEmpty }) else { break }
            let padding = max(0, widths[index] - text.displayWidth) + 2
            line += String(repeating: " ", count: padding)
            used += text.displayWidth + padding
        }
        return line
    }

    /// The width at which a cell is truncated; numbers and dates are truncated only at the terminal's width.
    private func room(for index: Int) -> Int { columns[index].tableColumn.kind == .text ? widths[index] : .max }

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
