#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The rows of `stats`: one for each group, in the order of the groups' keys.
struct QueryGrouping {
    static let groupLimit = 100_000
    static let distinctLimit = 1_000_000

    private enum Key: Hashable {
        case text(ExactString)
        /// The beginning of a span of time, in seconds since 1970.
        case time(Int64)
        case missing

        var byteCount: Int {
            if case .text(let text) = self {
                MemoryLayout<Self>.stride + text.string.utf8.count
            } else {
                MemoryLayout<Self>.stride
            }
        }
    }

    private let statistics: [QueryStatistic]
    private let groups: [QueryGroup]
    private let fields: [QueryField]
    private let arguments: [QueryField?]
    private var places: [[Key]: Int] = [:]
    /// Those of the first group, then those of the second, and so on.
    private var accumulators: [QueryAccumulator] = []
    private var size = QueryAccumulator.Size()

    /// The approximate size of the keys and of what the functions keep, in bytes.
    var byteCount: Int { size.bytes }

    /// - Parameter hasEvents: Whether the rows that are grouped are events, not those of a table.
    init(_ statistics: [QueryStatistic], by groups: [QueryGroup], hasEvents: Bool) {
        self.statistics = statistics
        self.groups = groups
        fields = groups.map { if case .value(let name) = $0 { name.field(ofEvents: hasEvents) } else { .time } }
        arguments = statistics.map { $0.function.argument?.field(ofEvents: hasEvents) }
        // Without groups there is one row, whether or not there are events.
        if groups.isEmpty { _ = addGroup([], statistics.map { QueryAccumulator($0.function) }) }
    }

    mutating func add(_ subject: some QuerySubject) throws {
        var keys: [Key] = []
        keys.reserveCapacity(groups.count)
        for (group, field) in zip(groups, fields) { keys.append(Self.key(subject.value(of: field), in: group)) }
        let place = try places[keys] ?? addGroup(keys)
        for (index, argument) in arguments.enumerated() {
            guard let argument else {
                accumulators[place + index].add(nil, &size)
                continue
            }
            guard let value = subject.value(of: argument) else { continue }
            accumulators[place + index].add(value, &size)
        }
        try checkDistinctValues()
    }

    /// Counts the events of a cell. Returns false if they have to be added one by one.
    mutating func add(_ cell: QueryCell) throws -> Bool {
        guard let counts = counts(of: cell), let keys = keys(of: cell) else { return false }
        let place = try places[keys] ?? addGroup(keys)
        for (index, count) in counts.enumerated() { accumulators[place + index].merge(.count(count), &size) }
        return true
    }

    /// Whether rows are only counted.
    var isCount: Bool { statistics.allSatisfy(\.function.isCount) }

    /// What each function counts in a cell; nil if one of them does not count, or the cell does not decide.
    private func counts(of cell: QueryCell) -> [Int64]? {
        guard isCount else { return nil }
        var counts: [Int64] = []
        for argument in arguments {
            guard let argument else {
                counts.append(Int64(cell.count))
                continue
            }
            guard case .value(let value) = cell.known(argument) else { return nil }
            counts.append(value == nil ? 0 : Int64(cell.count))
        }
        return counts
    }

    /// The key of all events of a cell; nil if they may differ.
    private func keys(of cell: QueryCell) -> [Key]? {
        var keys: [Key] = []
        for (group, field) in zip(groups, fields) {
            switch group {
            case .value:
                guard case .value(let value) = cell.known(field) else { return nil }
                keys.append(Self.key(value, in: group))
            case .time:
                let first = Self.key(.date(cell.times.lowerBound), in: group)
                guard first == Self.key(.date(cell.times.upperBound), in: group) else { return nil }
                keys.append(first)
            }
        }
        return keys
    }

    /// Adds the rows that were added to another grouping by the same groups.
    mutating func merge(_ other: consuming Self) throws {
        for (keys, otherPlace) in other.places {
            let place = try places[keys] ?? addGroup(keys)
            for index in statistics.indices {
                accumulators[place + index].merge(other.accumulators[otherPlace + index], &size)
            }
            try checkDistinctValues()
        }
    }

    private func checkDistinctValues() throws {
        guard size.distinctValues > Self.distinctLimit else { return }
        throw TelemetryQueryError(
            message: "There are more than \(Self.distinctLimit) distinct values: match fewer events.", offset: 0)
    }

    private mutating func addGroup(_ keys: [Key]) throws -> Int {
        guard places.count < Self.groupLimit else {
            throw TelemetryQueryError(
                message: "There are more than \(Self.groupLimit) groups: match fewer events, or group by less.", offset: 0)
        }
        return addGroup(keys, statistics.map { QueryAccumulator($0.function) })
    }

    private mutating func addGroup(_ keys: [Key], _ added: [QueryAccumulator]) -> Int {
        let place = accumulators.count
        places[keys] = place
        accumulators += added
        size.bytes += added.count * MemoryLayout<QueryAccumulator>.stride + 64
        for key in keys { size.bytes += key.byteCount }
        return place
    }

    private static func key(_ value: TelemetryValue?, in group: QueryGroup) -> Key {
        guard let value else { return .missing }
        guard case .time(let size) = group else { return .text(ExactString(value.queryText)) }
        guard let time = value.dateValue?.timeIntervalSinceReferenceDate, abs(time) < 1e15 else { return .missing }
        let seconds = Int64(time.rounded(.down)) + TimestampFormat.secondsFrom1970ToReference
        let rest = seconds % size.seconds
        return .time(seconds - (rest < 0 ? rest + size.seconds : rest))
    }

    var columns: [String] { groups.map(\.column) + statistics.map(\.column) }

    var rows: [[TelemetryValue?]] {
        let keyed = places.map { keys, place in
            let values: [TelemetryValue?] = keys.map {
                switch $0 {
                case .text(let text): .string(text.string)
                case .time(let seconds): .date(Date(timeIntervalSince1970: TimeInterval(seconds)))
                case .missing: nil
                }
            }
            return (values: values, order: zip(values, groups).map { QueryOrder($0, of: QueryField($1.column)) }, place: place)
        }
        let sorted = keyed.sorted { left, right in
            for (left, right) in zip(left.order, right.order) {
                if left.isBefore(right, isDescending: false) { return true }
                if right.isBefore(left, isDescending: false) { return false }
            }
            // Equal numbers that are written differently, such as 1 and 1.0.
            for case (.string(let left)?, .string(let right)?) in zip(left.values, right.values) {
                if ExactString(left) < ExactString(right) { return true }
                if ExactString(right) < ExactString(left) { return false }
            }
            return false
        }
        return sorted.map { values, _, place in
            values + accumulators[place..<place + statistics.count].map(\.value)
        }
    }
}
