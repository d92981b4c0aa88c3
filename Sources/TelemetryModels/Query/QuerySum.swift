/// The sum of numbers, which is exact for integers and rounded once for doubles. It does not depend on their order, unless a part of it
/// exceeds the range of a double.
///
/// Doubles are kept as parts that do not overlap, as in Jonathan Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust
/// Geometric Predicates".
struct QuerySum {
    private var ints: Int128 = 0
    private var doubles: [Double] = []
    private var hasDouble = false
    private var count = 0

    mutating func add(_ number: QueryNumber) {
        count += 1
        switch number {
        case .int(let value): ints += Int128(value)
        case .double(let value):
            hasDouble = true
            add(value)
        }
    }

    /// Adds the numbers of another sum.
    mutating func merge(_ other: Self) {
        count += other.count
        ints += other.ints
        hasDouble = hasDouble || other.hasDouble
        for part in other.doubles { add(part) }
    }

    private mutating func add(_ value: Double) {
        var high = value
        var parts: [Double] = []
        for part in doubles {
            let (large, small) = abs(high) < abs(part) ? (part, high) : (high, part)
            high = large + small
            let low = small - (high - large)
            if low != 0 { parts.append(low) }
        }
        parts.append(high)
        // Beyond the range of a double there are no parts.
        doubles = high.isFinite ? parts : [high]
    }

    /// An integer if all numbers are integers and the sum has 64 bits; otherwise a double.
    var total: TelemetryValue {
        if !hasDouble, let total = Int64(exactly: ints) { return .int(total) }
        return .double(double)
    }

    /// Nil if there are no numbers.
    var average: Double? { count == 0 ? nil : double / Double(count) }

    private var double: Double {
        var sum = self
        let rounded = Double(ints)
        if ints != 0 {
            sum.add(rounded)
            sum.add(Double(ints - (Int128(exactly: rounded) ?? ints)))
        }
        var parts = sum.doubles[...]
        var (total, rest) = (parts.popLast() ?? 0, 0.0)
        while rest == 0, let part = parts.popLast() {
            let before = total
            total = before + part
            rest = part - (total - before)
        }
        // Half of the last digit was rounded to even: smaller parts decide.
        if let next = parts.last, rest < 0 && next < 0 || rest > 0 && next > 0 {
            let corrected = total + rest * 2
            if corrected - total == rest * 2 { total = corrected }
        }
        // Without the sign of a zero.
        return total + 0
    }
}
