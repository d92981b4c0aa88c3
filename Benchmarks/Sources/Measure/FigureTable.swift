/// A Markdown table with aligned columns.
public struct FigureTable {
    private var rows: [[String]]

    public init(columns: [String]) { rows = [columns] }

    public mutating func add(_ row: [String]) { rows.append(row) }

    public func text() -> String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var lines = rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }
            return "| " + cells.joined(separator: " | ") + " |"
        }
        let rule = widths.enumerated().map { column, width in
            column == 0 ? String(repeating: "-", count: width + 2) : String(repeating: "-", count: width + 1) + ":"
        }
        lines.insert("|" + rule.joined(separator: "|") + "|", at: 1)
        return lines.joined(separator: "\n")
    }
}
