public import TelemetryModels

/// Events as comma-separated values (RFC 4180) that a spreadsheet can open without harm.
public struct EventCSV {
    private let columns: [EventColumn]
    private var stamp = UTCStamp()
    private var json = EventJSON()

    public init(columns: [EventColumn]) { self.columns = columns }

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
                Self.append(String(decoding: object, as: UTF8.self), to: &bytes)
            case .client: Self.append(event.clientId ?? "", to: &bytes)
            case .scenario: Self.append(event.scenario ?? "", to: &bytes)
            default: Self.append(column.text(of: event, time: TimeText()), to: &bytes)
            }
        }
    }

    /// One cell: quoted where it must be, and never taken for a formula.
    static func append(_ text: String, to bytes: inout [UInt8]) {
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
