/// Horizontal bars on a terminal, with a resolution of an eighth of a column.
public struct BarChart {
    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    public init() {}

    /// One line per bar: the label, the bar, the number.
    public func lines(_ bars: [(label: String, value: Int)], width: Int, style: Style) -> [String] {
        lines(bars.map { ($0.label, Double($0.value), $0.value.grouped) }, width: width, style: style)
    }

    /// One line per bar: the label, the bar, the number as text. A bar has no length below 0.
    func lines(_ bars: [(label: String, value: Double, text: String)], width: Int, style: Style) -> [String] {
        let labels = bars.reduce(0) { max($0, $1.label.displayWidth) }
        let numbers = bars.reduce(0) { max($0, $1.text.displayWidth) }
        let room = max(8, width - labels - numbers - 4)
        let most = bars.reduce(0) { max($0, $1.value) }
        return bars.map { bar in
            let parts = most > 0 ? Int((max(0, bar.value) / most * Double(room * 8)).rounded()) : 0
            let drawn = String(repeating: "█", count: parts / 8) + Self.eighths[parts % 8]
            let shown = drawn.isEmpty && bar.value > 0 ? Self.eighths[1] : drawn
            return "\(bar.label.padded(to: labels))  \(style.cyan(shown)) \(bar.text)"
        }
    }

    /// A sparkline, for a rate over time.
    public static func spark(_ values: [Int]) -> String {
        let levels = Array("▁▂▃▄▅▆▇█")
        let most = max(1, values.max() ?? 1)
        return String(values.map { $0 == 0 ? " " : levels[$0 * 7 / most] })
    }
}
