/// A bar chart as an SVG file.
public struct SVGChart {
    private let title: String
    private let bars: [(label: String, value: Int)]

    public init(title: String, bars: [(label: String, value: Int)]) {
        self.title = title
        self.bars = bars
    }

    public var text: String {
        let height = 64 + bars.count * 24
        let most = Double(max(1, bars.reduce(0) { max($0, $1.value) }))
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 \(height)\" width=\"720\" height=\"\(height)\" "
                + "font-family=\"system-ui, sans-serif\" font-size=\"13\">",
            "<title>\(escaped(title))</title>",
            "<rect width=\"720\" height=\"\(height)\" fill=\"#ffffff\"/>",
            "<text x=\"20\" y=\"30\" font-size=\"17\" fill=\"#1a1a1a\">\(escaped(title))</text>",
        ]
        for (index, bar) in bars.enumerated() {
            let y = 52 + index * 24
            let width = Int((Double(bar.value) / most * 400).rounded())
            lines += [
                "<text x=\"180\" y=\"\(y + 13)\" text-anchor=\"end\" fill=\"#404040\">\(escaped(bar.label.fitted(to: 24)))</text>",
                "<rect x=\"190\" y=\"\(y)\" width=\"\(max(1, width))\" height=\"17\" rx=\"2\" fill=\"#2f6fb3\"/>",
                "<text x=\"\(198 + width)\" y=\"\(y + 13)\" fill=\"#404040\">\(bar.value.grouped)</text>",
            ]
        }
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }

    private func escaped(_ text: String) -> String {
        var result = ""
        for character in text.visible {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }
}
