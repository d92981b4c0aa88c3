extension Table {
    /// A column of a table.
    public struct Column: Sendable, ExpressibleByStringLiteral {
        enum Kind: Sendable { case text, whole, number }

        /// The priority of a column without a given one.
        public static let standard = 5

        let title: String
        let kind: Kind
        let priority: Int

        /// A text, which is truncated in a narrow terminal.
        /// - Parameter priority: Columns of a lower priority are left out first; of equal ones the last.
        public static func text(_ title: String, priority: Int = standard) -> Column {
            Column(title: title, kind: .text, priority: priority)
        }

        /// A text that is not truncated, such as a date.
        public static func whole(_ title: String, priority: Int = standard) -> Column {
            Column(title: title, kind: .whole, priority: priority)
        }

        /// A number, aligned at its end and not truncated.
        public static func number(_ title: String, priority: Int = standard) -> Column {
            Column(title: title, kind: .number, priority: priority)
        }

        private init(title: String, kind: Kind, priority: Int) {
            self.title = title
            self.kind = kind
            self.priority = priority
        }

        public init(stringLiteral value: String) { self = .text(value) }
    }

    /// The columns that fit into a width, and their widths.
    struct Layout {
        static let minimumWidth = 14

        private(set) var shown: [Int]
        private(set) var widths: [Int]

        /// - Parameters:
        ///   - natural: The width of each column's widest cell.
        ///   - minimum: The width to which a text column is truncated before another column is left out.
        ///   - maximum: The maximum width of a text column except the last one.
        init(_ columns: [Column], natural: [Int], minimum: Int = Layout.minimumWidth, maximum: Int, width: Int) {
            shown = Array(columns.indices)
            widths = natural
            func total(_ widths: [Int]) -> Int { shown.reduce(2 * (shown.count - 1)) { $0 + widths[$1] } }
            let least = columns.indices.map { index in
                guard columns[index].kind == .text else { return natural[index] }
                return min(natural[index], max(minimum, columns[index].title.displayWidth))
            }
            while shown.count > 1, total(least) > width {
                let lowest = shown.map { columns[$0].priority }.min()
                guard let index = shown.lastIndex(where: { columns[$0].priority == lowest }) else { break }
                shown.remove(at: index)
            }
            // The text columns share the remaining width, the narrow ones first, so that few strings are truncated.
            var room = width - total(least)
            widths = least
            let last = shown.last
            let texts = shown.filter { columns[$0].kind == .text }.sorted { (natural[$0], $0) < (natural[$1], $1) }
            for (position, index) in texts.enumerated() {
                let wanted = index == last ? natural[index] : min(maximum, natural[index])
                let share = max(0, room) / (texts.count - position)
                widths[index] = max(min(least[index], wanted), min(wanted, least[index] + share))
                room -= widths[index] - least[index]
            }
            // A single column may be wider than the terminal.
            if room < 0, let only = shown.first, columns[only].kind == .text { widths[only] = min(widths[only], width) }
        }
    }
}
