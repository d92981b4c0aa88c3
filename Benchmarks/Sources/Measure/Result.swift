extension Comparison {
    /// What a comparison measured.
    public struct Result {
        let comparison: Comparison
        /// Sorted, in the order of the contenders.
        let samples: [[Double]]

        /// A contender's middle round.
        public func median(of name: String) -> Double? {
            comparison.contenders.firstIndex { $0.name == name }.map { samples[$0][samples[$0].count / 2] }
        }

        /// The table as text: a row a contender, its ratio to the first, and the aims below.
        public func text() -> String {
            let unit = comparison.unit
            var table = Table(columns: ["", "median", "least", "most"] + unit.rateColumn + ["× the first"])
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

/// A ratio with three digits that count.
public func ratio(_ value: Double) -> String { threeDigits(value) }
