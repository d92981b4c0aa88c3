extension Comparison {
    /// The measurements of a comparison.
    public struct Result {
        let comparison: Comparison
        /// The samples of each contender, sorted.
        let samples: [[Double]]

        /// The median of a contender's rounds.
        public func median(of name: String) -> Double? {
            comparison.contenders.firstIndex { $0.name == name }.map { samples[$0][samples[$0].count / 2] }
        }

        /// A table with a row for each contender and its ratio to the first one, followed by the aims.
        public func text() -> String {
            let unit = comparison.unit
            var table = FigureTable(columns: ["", "median", "least", "most"] + unit.rateColumn + ["× the first"])
            let first = samples[0][samples[0].count / 2]
            for (contender, samples) in zip(comparison.contenders, samples) {
                let median = samples[samples.count / 2]
                table.add(
                    [contender.name, unit.text(median), unit.text(samples[0]), unit.text(samples[samples.count - 1])]
                        + unit.rate(median) + [ratio(median / first)])
            }
            return (["### " + comparison.title, "", table.text()] + aims()).joined(separator: "\n") + "\n"
        }

        private func aims() -> [String] {
            let lines: [String] = comparison.aims.compactMap { aim in
                guard let above = median(of: aim.numerator), let below = median(of: aim.denominator) else { return nil }
                let reached = above / below
                let verdict = reached <= aim.atMost ? "met" : "not met"
                return "- \(aim.numerator) / \(aim.denominator): \(ratio(reached)), aim ≤ \(ratio(aim.atMost)): \(verdict)"
            }
            return lines.isEmpty ? [] : [""] + lines
        }
    }
}

/// Formats a ratio with three significant digits.
public func ratio(_ value: Double) -> String { threeDigits(value) }
