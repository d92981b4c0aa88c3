/// Rows of cells in aligned columns.
public struct Table {
    public enum Alignment: Sendable { case leading, trailing }

    /// The maximum width of a column, so that one long cell does not widen all rows.
    private static let maximumWidth = 48

    private let columns: [(title: String, alignment: Alignment)]
    private var rows: [[Cell]] = []

    /// A text with its style.
    public struct Cell: ExpressibleByStringLiteral {
        let text: String
        let look: (String) -> String

        /// - Parameter look: Adds colour, without changing the width.
        public init(_ text: String, look: @escaping (String) -> String = { $0 }) {
            self.text = text.visible
            self.look = look
        }

        public init(stringLiteral value: String) { self.init(value) }
    }

    public init(_ columns: [(title: String, alignment: Alignment)]) { self.columns = columns }

    public init(_ titles: [String]) { self.init(titles.map { ($0, .leading) }) }

    public mutating func add(_ cells: [Cell]) { rows.append(cells) }

    /// The header and the rows, truncated to this width.
    public func lines(style: Style, width: Int? = nil) -> [String] {
        let widths = columns.indices.map { index in
            min(Self.maximumWidth, rows.reduce(columns[index].title.displayWidth) { max($0, $1[index].text.displayWidth) })
        }
        let header = columns.map { Cell($0.title.uppercased(), look: style.dim) }
        return ([header] + rows).map { line($0, widths: widths, limit: width) }
    }

    private func line(_ cells: [Cell], widths: [Int], limit: Int?) -> String {
        var line = ""
        var used = 0
        for (index, cell) in cells.enumerated() {
            let isLast = index == cells.count - 1
            let room = limit.map { $0 - used } ?? .max
            guard room > 0 else { break }
            // Without a limit the output is for a program, so nothing is truncated.
            let text = limit == nil ? cell.text : cell.text.fitted(to: isLast ? room : min(widths[index], room))
            let padding = String(repeating: " ", count: max(0, min(widths[index], room) - text.displayWidth))
            switch columns[index].alignment {
            case .leading: line += cell.look(text) + (isLast ? "" : padding + "  ")
            case .trailing: line += padding + cell.look(text) + (isLast ? "" : "  ")
            }
            used += widths[index] + 2
        }
        return line
    }
}
