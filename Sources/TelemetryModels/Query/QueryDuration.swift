/// A whole number of seconds, minutes, hours or days.
struct QueryDuration: Sendable {
    let text: String
    let seconds: Int64

    /// Whether a text is digits and then ASCII letters.
    static func isLike(_ text: String) -> Bool {
        let rest = text.utf8.drop { $0 &- UInt8(ascii: "0") < 10 }
        return rest.count < text.utf8.count && !rest.isEmpty && rest.allSatisfy { ($0 | 0x20) &- UInt8(ascii: "a") < 26 }
    }

    /// Nil for a text that is not digits and `s`, `m`, `h` or `d`, and for more than 2^53 seconds.
    init?(_ text: String) {
        let unit: Int64
        switch text.utf8.last {
        case UInt8(ascii: "s"): unit = 1
        case UInt8(ascii: "m"): unit = 60
        case UInt8(ascii: "h"): unit = 3_600
        case UInt8(ascii: "d"): unit = 86_400
        default: return nil
        }
        let digits = text.utf8.dropLast()
        guard digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }), let number = Int64(String(text.dropLast())) else { return nil }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit)
        guard !overflow, seconds <= 1 << 53 else { return nil }
        self.text = text
        self.seconds = seconds
    }
}
