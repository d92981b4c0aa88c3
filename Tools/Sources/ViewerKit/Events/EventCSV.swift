public import TelemetryModels

/// Events as comma-separated values (RFC 4180) that a spreadsheet can open without harm: a header, lines that end in CR LF, a
/// cell in quotation marks where it has one of these, a quotation mark or a comma. A cell is the text itself, controls and all;
/// only one that a spreadsheet would take for a formula gets an apostrophe in front. On a terminal controls are shown instead.
public struct EventCSV {
    private let columns: [EventColumn]
    private let isForTerminal: Bool
    private let stamp = UTCStamp()
    private var json = EventJSON()

    /// - Parameter isForTerminal: Whether a person's terminal gets the lines, and not a program.
    public init(columns: [EventColumn], isForTerminal: Bool = false) {
        self.columns = columns
        self.isForTerminal = isForTerminal
    }

    /// The line of column names.
    public var header: [UInt8] { Array(columns.map(\.rawValue).joined(separator: ",").utf8) }

    public mutating func append(_ event: TelemetryEvent, to bytes: inout [UInt8]) {
        for (index, column) in columns.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            switch column {
            // For programs: in UTC, and in JSON.
            case .date, .time: stamp.append(event.timestamp, to: &bytes)
            case .attributes where event.attributes.isEmpty: break
            case .attributes:
                var object: [UInt8] = []
                json.append(event.attributes, to: &object)
                append(String(decoding: object, as: UTF8.self), to: &bytes)
            case .client: append(event.clientId ?? "", to: &bytes)
            case .scenario: append(event.scenario ?? "", to: &bytes)
            default: append(column.text(of: event, time: TimeText()), to: &bytes)
            }
        }
    }

    /// One cell: quoted where it must be, and never taken for a formula.
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
