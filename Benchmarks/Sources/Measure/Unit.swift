import Foundation

/// The unit of a figure.
public enum Unit: Sendable {
    /// Time per operation.
    case nanoseconds
    /// Memory or disk space per operation.
    case bytes

    func text(_ value: Double) -> String {
        switch self {
        case .bytes: return threeDigits(value) + " B"
        case .nanoseconds where value < 1_000: return threeDigits(value) + " ns"
        case .nanoseconds where value < 1_000_000: return threeDigits(value / 1_000) + " µs"
        case .nanoseconds: return threeDigits(value / 1_000_000) + " ms"
        }
    }

    var rateColumn: [String] { self == .nanoseconds ? ["a second"] : [] }

    func rate(_ value: Double) -> [String] {
        guard self == .nanoseconds else { return [] }
        let rate = 1_000_000_000 / value
        switch rate {
        case ..<1_000: return [threeDigits(rate)]
        case ..<1_000_000: return [threeDigits(rate / 1_000) + " k"]
        default: return [threeDigits(rate / 1_000_000) + " M"]
        }
    }
}

func threeDigits(_ value: Double) -> String {
    let digits = value >= 100 || value == 0 ? 0 : max(0, 2 - Int(log10(value).rounded(.down)))
    return String(format: "%.\(min(digits, 6))f", value)
}
