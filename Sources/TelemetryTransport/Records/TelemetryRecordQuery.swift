public import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Selects and sorts records.
public struct TelemetryRecordQuery: Sendable, Hashable {
    /// The type of the records to find.
    public var recordType: String
    /// Fields and their required values. A Boolean matches its stored form 0 or 1.
    public var conditions: [String: TelemetryValue]
    /// The field to sort by; records that lack it come last. Nil sorts by the records' names.
    public var sortField: String?
    /// Whether the smallest value comes first.
    public var ascending: Bool

    /// Creates a query; without conditions it finds every record of the type.
    public init(
        recordType: String, conditions: [String: TelemetryValue] = [:], sortField: String? = nil, ascending: Bool = true
    ) {
        self.recordType = recordType
        self.conditions = conditions
        self.sortField = sortField
        self.ascending = ascending
    }

    /// Whether the record is of the type and fulfils every condition.
    public func matches(_ record: TelemetryRecord) -> Bool {
        record.recordType == recordType
            && conditions.allSatisfy { field, condition in record[field]?.fulfils(condition) ?? false }
    }

    /// Returns the records that match, in the query's order; equal ones by name, so that the order is stable.
    public func apply(to records: some Sequence<TelemetryRecord>) -> [TelemetryRecord] { sort(records.filter(matches)) }

    /// Returns the records in the query's order.
    package func sort(_ records: some Sequence<TelemetryRecord>) -> [TelemetryRecord] { records.sorted(by: precedes) }

    private func precedes(_ lhs: TelemetryRecord, _ rhs: TelemetryRecord) -> Bool {
        let (left, right) = (lhs.recordID.recordName, rhs.recordID.recordName)
        guard let sortField else { return ascending ? left < right : right < left }
        switch (lhs[sortField]?.sortKey, rhs[sortField]?.sortKey) {
        case (let one?, let other?) where one < other: return ascending
        case (let one?, let other?) where other < one: return !ascending
        case (.some, nil): return true
        case (nil, .some): return false
        default: return left < right
        }
    }
}

/// A total order of values of any type, so that sorting is deterministic: Booleans and integers, then other numbers and dates,
/// then NaN, then strings.
private enum SortKey: Comparable {
    case whole(Int64)
    case number(Double)
    case notANumber
    case text(String)
}

extension TelemetryValue {
    fileprivate var sortKey: SortKey {
        switch self {
        case .int(let value): .whole(value)
        case .bool(let value): .whole(value ? 1 : 0)
        case .double(let value): value.isNaN ? .notANumber : .number(value)
        case .date(let value): .number(value.timeIntervalSinceReferenceDate)
        case .string(let value): .text(value)
        }
    }
}
