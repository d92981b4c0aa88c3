#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a function of `stats` keeps of a group's values.
enum QueryAccumulator {
    case count(Int64)
    case distinct(Set<ExactString>)
    case sum(QuerySum)
    case average(QuerySum)
    case extreme(number: QueryNumber?, date: Date?, isMaximum: Bool)
    case quantile(QueryQuantile, share: Double)

    /// What accumulators keep.
    struct Size {
        var distinctValues = 0
        /// Approximately, besides the accumulators themselves.
        var bytes = 0
    }

    init(_ function: QueryFunction) {
        self =
            switch function {
            case .countRows, .count: .count(0)
            case .countDistinct: .distinct([])
            case .sum: .sum(QuerySum())
            case .average: .average(QuerySum())
            case .minimum: .extreme(number: nil, date: nil, isMaximum: false)
            case .maximum: .extreme(number: nil, date: nil, isMaximum: true)
            case .quantile(let share, _): .quantile(QueryQuantile(), share: share.value)
            }
    }

    /// Adds a value that is there, or a row.
    /// - Parameter size: Grows by what is kept of the value.
    mutating func add(_ value: TelemetryValue?, _ size: inout Size) {
        switch self {
        case .count(let count): self = .count(count.addingOrMaximum(1))
        case .distinct(var texts):
            self = .count(0)
            if let value { Self.insert(ExactString(value.queryText), into: &texts, &size) }
            self = .distinct(texts)
        case .sum(var sum):
            self = .count(0)
            if let number = value?.queryNumber { sum.add(number) }
            self = .sum(sum)
        case .average(var sum):
            self = .count(0)
            if let number = value?.queryNumber { sum.add(number) }
            self = .average(sum)
        case .extreme(let number, let date, let isMaximum):
            if let new = value?.queryNumber {
                // Of equal numbers the same one is kept, whichever comes first.
                let isFurther = number.map { isMaximum && $0 != new ? $0 < new : QueryNumber.precedes(new, $0) } ?? true
                if isFurther { self = .extreme(number: new, date: nil, isMaximum: isMaximum) }
            } else if number == nil, let new = value?.dateValue {
                let isFurther = date.map { isMaximum ? $0 < new : new < $0 } ?? true
                if isFurther { self = .extreme(number: nil, date: new, isMaximum: isMaximum) }
            }
        case .quantile(var values, let share):
            self = .count(0)
            let former = values.byteCount
            if let number = value?.queryNumber { values.add(number) }
            size.bytes += values.byteCount - former
            self = .quantile(values, share: share)
        }
    }

    /// Adds what another accumulator of the same function was given.
    /// - Parameter size: Grows by what is kept of it.
    mutating func merge(_ other: consuming Self, _ size: inout Size) {
        switch (self, other) {
        case (.count(let count), .count(let other)): self = .count(count.addingOrMaximum(other))
        case (.distinct(var texts), .distinct(let others)):
            self = .count(0)
            for text in others { Self.insert(text, into: &texts, &size) }
            self = .distinct(texts)
        case (.sum(var sum), .sum(let other)):
            sum.merge(other)
            self = .sum(sum)
        case (.average(var sum), .average(let other)):
            sum.merge(other)
            self = .average(sum)
        case (.extreme, .extreme(let number, let date, _)):
            add(number?.value ?? date.map(TelemetryValue.date), &size)
        case (.quantile(var values, let share), .quantile(let others, _)):
            self = .count(0)
            let former = values.byteCount
            values.merge(others)
            size.bytes += values.byteCount - former
            self = .quantile(values, share: share)
        default: break
        }
    }

    private static func insert(_ text: ExactString, into texts: inout Set<ExactString>, _ size: inout Size) {
        guard texts.insert(text).inserted else { return }
        size.distinctValues += 1
        size.bytes += text.string.utf8.count + 2 * MemoryLayout<ExactString>.stride
    }

    /// The function's value; nil if there was nothing to compute it from.
    var value: TelemetryValue? {
        switch self {
        case .count(let count): .int(count)
        case .distinct(let texts): .int(Int64(texts.count))
        case .sum(let sum): sum.total
        case .average(let sum): sum.average.map(TelemetryValue.double)
        case .extreme(let number, let date, _): number?.value ?? date.map(TelemetryValue.date)
        case .quantile(let values, let share): values.value(at: share)?.value
        }
    }
}

extension FixedWidthInteger {
    /// The sum of two numbers that are not negative; the greatest number if it is beyond that, as damaged counts of a store may be.
    func addingOrMaximum(_ other: Self) -> Self {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? .max : sum
    }
}
