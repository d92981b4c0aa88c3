import TelemetryModels

/// Finds the queries whose condition on an attribute's number may hold for an event.
struct NumberIndex {
    /// A condition of a query: all matching events have a number within the range.
    struct Condition {
        let query: Int
        let range: ClosedRange<Double>
    }

    /// The conditions on one attribute.
    private struct Key {
        /// By the lower ends of their ranges, then by the upper ends.
        let conditions: [Condition]
        /// The greatest upper end up to each condition.
        let reach: [Double]

        init(_ conditions: [Condition]) {
            self.conditions = conditions.sorted {
                ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
            }
            var reach = -Double.infinity
            self.reach = self.conditions.map {
                reach = max(reach, $0.range.upperBound)
                return reach
            }
        }

        @inline(__always)
        func forEach(including number: Double, _ body: (Int) -> Void) {
            // The conditions before `end` begin at the number or below.
            var (start, end) = (0, conditions.count)
            while start < end {
                let middle = (start + end) / 2
                if conditions[middle].range.lowerBound <= number { start = middle + 1 } else { end = middle }
            }
            while end > 0, reach[end - 1] >= number {
                end -= 1
                if conditions[end].range.upperBound >= number { body(conditions[end].query) }
            }
        }
    }

    private var keys: [Key] = []
    /// A bit for each length of a key; the last for all longer ones.
    private var lengths: UInt64 = 0
    private var places: HashTable
    private let seed = UInt64.random(in: .min ... .max)

    /// - Parameter conditions: By the attributes' keys.
    init(_ conditions: [(key: String, condition: Condition)]) {
        let seed = seed
        // Keys with the same hash are one: a condition that is found need not hold.
        let grouped = Dictionary(grouping: conditions) { Array($0.key.utf8).withByteView { $0.hash(seed: seed) } }
        places = HashTable(capacity: grouped.count)
        for key in conditions.map(\.key) { lengths |= 1 << UInt64(min(key.utf8.count, 63)) }
        for (hash, conditions) in grouped {
            places.insert(keys.count, for: hash)
            keys.append(Key(conditions.map(\.condition)))
        }
    }

    /// Calls the body with each query whose condition may hold; at most once for each condition.
    @inline(__always)
    func forEach(in fields: FrameFields, of frame: ByteView, _ body: (Int) -> Void) {
        _ = fields.forEachAttribute(in: frame) { name, value in
            guard lengths & 1 << UInt64(min(name.count, 63)) != 0, let place = places[frame[name].hash(seed: seed)] else {
                return
            }
            let number: Double? =
                switch value {
                case .text(let place): TelemetryValue.string(frame[place].text).queryDouble
                case .other(.int(let number)): Double(number)
                case .other(.double(let number)): number
                case .other: nil
                }
            if let number { keys[place].forEach(including: number, body) }
        }
    }
}
