/// Numbers of which a quantile is asked: all of them up to 100,000, and beyond that how many there are of each size.
///
/// Each power of two is divided into 64 sizes of equal width, as in Gil Tene's HdrHistogram, so that the middle of a size is within 0.8 %
/// of all its numbers.
struct QueryQuantile {
    static let exactLimit = 100_000
    private static let divisions = 64

    private var exact: [QueryNumber] = []
    /// How many numbers there are of each size, by the size's number.
    private var negative: [Int: Int] = [:]
    private var positive: [Int: Int] = [:]
    private var zeros = 0
    private var count = 0
    private var isExact: Bool { count == exact.count }

    /// The approximate size of what is kept, in bytes.
    var byteCount: Int { exact.count * MemoryLayout<QueryNumber>.stride + (negative.count + positive.count) * 32 }

    mutating func add(_ number: QueryNumber) {
        if isExact, count < Self.exactLimit {
            exact.append(number)
        } else {
            dropExact()
            addSize(of: number.double)
        }
        count += 1
    }

    /// Adds the numbers of others.
    mutating func merge(_ other: Self) {
        let staysExact = isExact && other.isExact && count + other.count <= Self.exactLimit
        if staysExact {
            exact += other.exact
        } else {
            dropExact()
            for number in other.exact { addSize(of: number.double) }
            negative.merge(other.negative, uniquingKeysWith: +)
            positive.merge(other.positive, uniquingKeysWith: +)
            zeros += other.zeros
        }
        count += other.count
    }

    private mutating func dropExact() {
        for number in exact { addSize(of: number.double) }
        exact = []
    }

    private mutating func addSize(of value: Double) {
        if value == 0 {
            zeros += 1
        } else if value < 0 {
            negative[Self.size(of: -value), default: 0] += 1
        } else {
            positive[Self.size(of: value), default: 0] += 1
        }
    }

    /// The smallest number such that at least a share of all numbers is not larger; nil if there are none.
    func value(at share: Double) -> QueryNumber? {
        guard count > 0 else { return nil }
        let rank = rank(of: share)
        if isExact { return exact.sorted(by: QueryNumber.precedes)[rank - 1] }
        var reached = 0
        for (size, count) in negative.sorted(by: { $0.key > $1.key }) {
            reached += count
            if reached >= rank { return .double(-Self.middle(of: size)) }
        }
        reached += zeros
        if reached >= rank { return .int(0) }
        for (size, count) in positive.sorted(by: { $0.key < $1.key }) {
            reached += count
            if reached >= rank { return .double(Self.middle(of: size)) }
        }
        return nil
    }

    /// The smallest rank, from 1, that is at least the share of the count.
    private func rank(of share: Double) -> Int {
        var rank = max(1, min(count, Int((share * Double(count)).rounded(.up))))
        while rank > 1, Double(rank - 1) / Double(count) >= share { rank -= 1 }
        while rank < count, Double(rank) / Double(count) < share { rank += 1 }
        return rank
    }

    private static func size(of value: Double) -> Int {
        Int(value.exponent) * divisions + Int((value.significand - 1) * Double(divisions))
    }

    private static func middle(of size: Int) -> Double {
        let part = size & (divisions - 1)
        let exponent = (size - part) / divisions
        return Double(sign: .plus, exponent: exponent, significand: 1 + (Double(part) + 0.5) / Double(divisions))
    }
}
