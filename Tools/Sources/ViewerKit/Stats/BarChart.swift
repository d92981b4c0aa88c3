/// Horizontal bars on a terminal, with a resolution of an eighth of a column.
public struct BarChart {
    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    public init() {}

    /// One line per bar: the label, the bar, the number.
    public func lines(_ bars: [(label: String, value: Int)], width: Int, style: Style) -> [String] {
        let labels = bars.reduce(0) { max($0, $1.label.displayWidth) }
        let numbers = bars.reduce(0) { max($0, $1.value.grouped.count) }
        let room = max(8, width - labels - numbers - 4)
        let most = max(1, bars.reduce(0) { max($0, $1.value) })
        return bars.map { bar in
            let parts = Int((Double(bar.value) / Double(most) * Double(room * 8)).rounded())
            let drawn = String(repeating: "█", count: parts / 8) + Self.eighths[parts % 8]
            let shown = drawn.isEmpty && bar.value > 0 ? Self.eighths[1] : drawn
            return "\(bar.label.padded(to: labels))  \(style.cyan(shown)) \(bar.value.grouped)"
        }
    }

    /// A sparkline, for a rate over time.
    public static func spark(_ values: [Int]) -> String {
        let levels = Array("▁▂▃▄▅▆▇█")
        let most = max(1, values.max() ?? 1)
        return String(values.map { $0 == 0 ? " " : levels[$0 * 7 / most] })
    }
}
