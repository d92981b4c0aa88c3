@_spi(Tooling) public import TelemetryModels

/// Shows the table of a query's result.
public struct QueryTable {
    private typealias Value = TelemetryQueryResult.Value

    private let columns: [String]
    private let rows: [[TelemetryQueryResult.Value]]
    private let time = TimeText()

    public init(_ result: TelemetryQueryResult) { (columns, rows) = (result.columns, result.rows) }

    /// The table for users, with dates in the machine's time zone.
    public var table: Table {
        var table = Table(
            columns.indices.map { index in
                if rows.allSatisfy({ $0[index].isNumber || $0[index] == .null }) { return .number(columns[index], priority: 9) }
                return rows.contains { $0[index].isDate } ? .whole(columns[index]) : .text(columns[index])
            })
        for row in rows { table.add(row.map { .init(text($0)) }) }
        return table
    }

    /// One object for each row.
    public var objects: [JSONLine] {
        rows.map { row in
            var line = JSONLine()
            for (column, value) in zip(columns, row) {
                switch value {
                case .string(let text): line.add(column, text)
                case .int(let number): line.add(column, number)
                case .double(let number) where number.isFinite: line.add(column, number)
                case .bool(let flag): line.add(column, flag)
                case .date(let date): line.add(column, date)
                case .null, .double: line.addNull(column)
                }
            }
            return line
        }
    }

    /// The header and the rows as comma-separated values. Dates are in UTC.
    public func csv(isForTerminal: Bool) -> [UInt8] {
        let cell = CSVCell(isForTerminal: isForTerminal)
        var bytes: [UInt8] = []
        for row in [columns] + rows.map({ $0.map(\.text) }) {
            for (index, text) in row.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                cell.append(text, to: &bytes)
            }
            bytes += "\r\n".utf8
        }
        return bytes
    }

    /// A bar for each row: the last column that has numbers, with the other columns that have none as its label.
    public func bars(width: Int, style: Style) -> [String] {
        let isNumeric = columns.indices.map { index in rows.contains { $0[index].isNumber } }
        guard let measured = isNumeric.lastIndex(of: true) else { return [] }
        let bars = rows.map { row in
            let label = columns.indices.filter { !isNumeric[$0] }.map { text(row[$0]) }.joined(separator: " ")
            return (
                label: label.visible.fitted(to: max(12, width / 2)), value: row[measured].number ?? 0, text: text(row[measured])
            )
        }
        return [style.dim(columns[measured].visible)] + BarChart().lines(bars, width: width, style: style)
    }

    private func text(_ value: Value) -> String {
        switch value {
        case .null: "–"
        case .date(let date): time.dayAndSecond(date)
        default: value.text
        }
    }
}

extension TelemetryQueryResult.Value {
    fileprivate var number: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    fileprivate var isNumber: Bool { number != nil }

    fileprivate var isDate: Bool { if case .date = self { true } else { false } }

    /// The value's text; empty for null.
    fileprivate var text: String {
        switch self {
        case .null: ""
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): number.description
        case .bool(let flag): flag ? "true" : "false"
        case .date(let date): TimestampText.string(nearest: date)
        }
    }
}
