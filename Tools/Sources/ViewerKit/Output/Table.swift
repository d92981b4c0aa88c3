/// Rows of cells in aligned columns.
public struct Table {
    /// The maximum width of a text column except the last one, so that one long cell does not widen all rows.
    private static let maximumWidth = 48

    private let columns: [Column]
    private let hint: String
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

    /// - Parameter hint: How to see the columns for which the terminal is too narrow.
    public init(_ columns: [Column], hint: String = "a wider terminal or --format json") {
        self.columns = columns
        self.hint = hint
    }

    public mutating func add(_ cells: [Cell]) { rows.append(cells) }

    /// The header and the rows.
    /// - Parameter width: The maximum width of a line. Text columns are truncated to fit; then columns are left out, those of the
    ///   lowest priority first, and a note names them. With nil, for programs, nothing is truncated and left out.
    public func lines(style: Style, width: Int? = nil) -> [String] {
        let header = columns.map { Cell($0.title.uppercased(), look: style.dim) }
        let natural = columns.indices.map { index in
            rows.reduce(columns[index].title.displayWidth) { max($0, $1[index].text.displayWidth) }
        }
        guard let width else {
            let widths = natural.map { min(Self.maximumWidth, $0) }
            return ([header] + rows).map { line($0, of: Array(columns.indices), widths: widths, isLimited: false) }
        }
        let layout = Layout(columns, natural: natural, maximum: Self.maximumWidth, width: width)
        let lines = ([header] + rows).map { line($0, of: layout.shown, widths: layout.widths, isLimited: true) }
        let left = columns.indices.filter { !layout.shown.contains($0) }.map { columns[$0].title }
        guard !left.isEmpty else { return lines }
        let noun = left.count == 1 ? "Column" : "Columns"
        let note = "\(noun) not shown: \(left.joined(separator: ", ")). To see \(left.count == 1 ? "it" : "them"): \(hint)."
        return lines + note.wrappedAtWords(to: width).map(style.dim)
    }

    private func line(_ cells: [Cell], of shown: [Int], widths: [Int], isLimited: Bool) -> String {
        var line = ""
        for index in shown {
            let cell = cells[index]
            let text = isLimited ? cell.text.fitted(to: widths[index]) : cell.text
            let padding = String(repeating: " ", count: max(0, widths[index] - text.displayWidth))
            let isLast = index == shown.last
            switch columns[index].kind {
            case .text, .whole: line += cell.look(text) + (isLast ? "" : padding + "  ")
            case .number: line += padding + cell.look(text) + (isLast ? "" : "  ")
            }
        }
        return line
    }
}
