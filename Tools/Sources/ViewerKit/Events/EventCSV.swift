@_spi(Tooling) public import TelemetryModels

/// Formats events as comma-separated values (RFC 4180): a header, CR LF line ends, and quotation marks around cells with a
/// comma, a quotation mark, CR or LF. Control characters are kept, except on a terminal, where they are escaped. A cell that a
/// spreadsheet would read as a formula starts with an apostrophe.
public struct EventCSV {
    private let columns: [EventColumn]
    private let isForTerminal: Bool

    /// - Parameter isForTerminal: Whether the output is a terminal.
    public init(columns: [EventColumn], isForTerminal: Bool = false) {
        self.columns = columns
        self.isForTerminal = isForTerminal
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
                append(String(decoding: EventJSON.json(event.attributes), as: UTF8.self), to: &bytes)
            case .client: append(event.clientId ?? "", to: &bytes)
            case .scenario: append(event.scenario ?? "", to: &bytes)
            default: append(column.text(of: event, time: TimeText()), to: &bytes)
            }
        }
    }

    /// Appends one cell, quoted if necessary and protected from being read as a formula.
    private func append(_ cell: String, to bytes: inout [UInt8]) {
        let text = isForTerminal ? cell.visible : cell
        let isFormula = text.utf8.first.map { [0x3D, 0x2B, 0x2D, 0x40, 0x09, 0x0D].contains($0) } ?? false
        let needsQuotes = text.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
        if needsQuotes { bytes.append(0x22) }
        if isFormula { bytes.append(UInt8(ascii: "'")) }
        for byte in text.utf8 {
            if byte == 0x22 { bytes.append(byte) }
            bytes.append(byte)
        }
        if needsQuotes { bytes.append(0x22) }
    }
}
