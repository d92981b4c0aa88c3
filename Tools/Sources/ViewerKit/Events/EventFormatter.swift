public import TelemetryModels

/// Formats events as lines.
public struct EventFormatter {
    public enum Format: String, CaseIterable, Sendable { case table, json, csv }

    private enum Kind {
        case table(EventRows)
        case json
        case csv(EventCSV)
    }

    private var kind: Kind
    private var json = EventJSON()

    /// - Parameter width: The terminal's columns; nil if the output is not a terminal.
    public init(
        _ format: Format, columns: [EventColumn], style: Style, width: Int?, aliases: ClientAliases = ClientAliases()
    ) {
        switch format {
        case .table: kind = .table(EventRows(columns: columns, style: style, width: width, aliases: aliases))
        case .json: kind = .json
        case .csv: kind = .csv(EventCSV(columns: columns, isForTerminal: width != nil))
        }
    }

    /// Sets the widths of a table's columns for the first events. Call it before ``header`` is used.
    public mutating func fit(to events: [TelemetryEvent]) {
        guard case .table(var rows) = kind else { return }
        rows.fit(to: events)
        kind = .table(rows)
    }

    /// The columns for which the terminal is too narrow.
    public var omittedColumns: [EventColumn] {
        if case .table(let rows) = kind { rows.omittedColumns } else { [] }
    }

    /// The header, including its line end.
    public var header: [UInt8] {
        switch kind {
        case .table(let rows): Array((rows.header + "\n").utf8)
        case .json: []
        case .csv(let csv): csv.header + "\r\n".utf8
        }
    }

    /// Appends the event's line, including its line end.
    public mutating func append(_ event: TelemetryEvent, to bytes: inout [UInt8]) {
        switch kind {
        case .table(let rows): bytes += (rows.row(event) + "\n").utf8
        case .json:
            json.append(event, to: &bytes)
            bytes.append(0x0A)
        case .csv(let csv):
            csv.append(event, to: &bytes)
            bytes += "\r\n".utf8
        }
    }
}
