@_spi(Tooling) public import TelemetryModels

/// Formats events as comma-separated values (RFC 4180): a header, CR LF line ends, and cells as ``CSVCell`` writes them.
public struct EventCSV {
    private let columns: [EventColumn]
    private let cell: CSVCell

    /// - Parameter isForTerminal: Whether the output is a terminal.
    public init(columns: [EventColumn], isForTerminal: Bool = false) {
        self.columns = columns
        cell = CSVCell(isForTerminal: isForTerminal)
    }

    /// The header line with the column names.
    public var header: [UInt8] { Array(columns.map(\.rawValue).joined(separator: ",").utf8) }

    public func append(_ event: TelemetryEvent, to bytes: inout [UInt8]) {
        for (index, column) in columns.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            switch column {
            // For programs: dates in UTC, and attributes as JSON.
            case .date, .time: bytes += TimestampText.string(nearest: event.timestamp).utf8
            case .attributes where event.attributes.isEmpty: break
            case .attributes:
                cell.append(String(decoding: EventJSON.json(event.attributes), as: UTF8.self), to: &bytes)
            case .client: cell.append(event.clientId ?? "", to: &bytes)
            case .scenario: cell.append(event.scenario ?? "", to: &bytes)
            default: cell.append(column.text(of: event, time: TimeText()), to: &bytes)
            }
        }
    }
}
