import Foundation

#if canImport(FoundationEssentials)
import FoundationEssentials
#endif

/// One word of each line of a log, whose values serve as scenarios.
struct LogField: Sendable, Equatable {
    /// The maximum number of values; a field with more contains names or numbers.
    static let maximumScenarios = 12
    /// The scenario of lines without the word or with a rare word.
    static let other = "Other"
    /// The scenario of all lines if no field is suitable.
    static let fallback = "Line"
    private static let sampleLines = 20_000
    private static let sampleWords = 8

    /// The first word of a line is 1.
    let position: Int
    /// The values, most frequent first.
    let scenarios: [String]

    /// Nil if no line has such a word.
    init?(position: Int, in lines: [String]) {
        let counts = Self.counts(of: position, in: lines)
        guard position > 0, !counts.isEmpty else { return nil }
        self.init(position: position, counts: counts, lines: lines.count)
    }

    private init(position: Int, counts: [String: Int], lines: Int) {
        self.position = position
        let common = Self.ordered(counts).prefix(Self.maximumScenarios)
        let covered = common.reduce(0) { $0 + $1.value }
        scenarios = covered < lines ? common.prefix(Self.maximumScenarios - 1).map(\.key) + [Self.other] : common.map(\.key)
    }

    /// The most suitable field: one with few distinct words in nearly every line.
    static func best(in lines: [String]) -> LogField? {
        let sample = Array(lines.prefix(sampleLines))
        var best: (position: Int, entropy: Double)?
        for position in 1...sampleWords {
            let counts = counts(of: position, in: sample)
            let covered = counts.values.reduce(0, +)
            guard (2...maximumScenarios).contains(counts.count), counts.count * 2 <= covered, covered * 10 >= sample.count * 9,
                counts.keys.allSatisfy({ $0.contains(where: \.isLetter) })
            else { continue }
            let entropy = counts.values.reduce(0.0) { sum, count in
                let share = Double(count) / Double(covered)
                return sum - share * log2(share)
            }
            if entropy > best?.entropy ?? 0 { best = (position, entropy) }
        }
        return best.flatMap { LogField(position: $0.position, in: lines) }
    }

    func scenario(of line: String) -> String {
        guard let word = Self.word(position, of: line), scenarios.contains(word) else {
            return scenarios.contains(Self.other) ? Self.other : scenarios[0]
        }
        return word
    }

    private static func counts(of position: Int, in lines: [String]) -> [String: Int] {
        var counts: [String: Int] = [:]
        for line in lines {
            if let word = word(position, of: line) { counts[word, default: 0] += 1 }
        }
        return counts
    }

    private static func ordered(_ counts: [String: Int]) -> [(key: String, value: Int)] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    }

    private static func word(_ position: Int, of line: String) -> String? {
        guard position > 0 else { return nil }
        let words = line.split(maxSplits: position, whereSeparator: { $0 == " " || $0 == "\t" })
        return words.count >= position ? String(words[position - 1]) : nil
    }
}
