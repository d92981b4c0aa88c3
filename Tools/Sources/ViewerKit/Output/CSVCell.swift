/// Writes cells of comma-separated values (RFC 4180), with quotation marks around those with a comma, a quotation mark, CR or LF. Control
/// characters are kept, except on a terminal, where they are escaped. A cell that a spreadsheet would read as a formula starts with an
/// apostrophe.
struct CSVCell {
    let isForTerminal: Bool

    func append(_ cell: String, to bytes: inout [UInt8]) {
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
