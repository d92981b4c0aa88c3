/// Parses and formats durations: `500ms`, `10s`, `5m`, `2h`, `3d`.
public enum DurationText {
    private static let units: [(suffix: String, seconds: Double)] = [
        ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400),
    ]

    /// The duration in seconds, or nil for invalid or negative text. The default unit is seconds.
    public static func seconds(_ text: String) -> Double? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let suffix = text[number.endIndex...]
        guard let value = Double(number), value.isFinite, value < 1e10,
            let unit = suffix.isEmpty ? 1 : units.first(where: { $0.suffix == suffix })?.seconds
        else { return nil }
        return value * unit
    }

    /// The duration in a suitable unit, with two or three digits.
    public static func string(seconds: Double) -> String {
        switch seconds {
        case ..<0.0995: "\(Int((seconds * 1_000).rounded())) ms"
        case ..<9.95: "\(rounded(seconds)) s"
        case ..<120: "\(Int(seconds.rounded())) s"
        case ..<7_200: "\(Int((seconds / 60).rounded())) min"
        case ..<172_800: "\(Int((seconds / 3_600).rounded())) h"
        default: "\(Int((seconds / 86_400).rounded())) days"
        }
    }

    /// The duration as ``seconds(_:)`` parses it, in the largest unit of which it is a whole number.
    public static func compact(seconds: Double) -> String {
        let unit = units.last { (seconds / $0.seconds).rounded() == seconds / $0.seconds } ?? ("s", 1)
        let number = seconds / unit.seconds
        return (Int(exactly: number).map(String.init) ?? "\(number)") + unit.suffix
    }

    private static func rounded(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension Int {
    /// The number with thousands separators: 1,234,567.
    public var grouped: String {
        var digits = String(magnitude)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (self < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }
}
