public import TelemetryModels

/// Which records are meant, and in which order.
public struct TelemetryRecordQuery: Sendable, Hashable {
    public var recordType: String
    /// Fields and the values that they must hold. A flag matches its stored form 0 or 1.
    public var conditions: [String: TelemetryValue]
    /// The field to sort by; records that lack it come last. Nil sorts by the records' names.
    public var sortField: String?
    public var ascending: Bool

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

    /// The records that match, in the query's order; equal ones by name, so that the order is always the same.
    public func apply(to records: some Sequence<TelemetryRecord>) -> [TelemetryRecord] {
        records.filter(matches).sorted(by: precedes)
    }

    private func precedes(_ lhs: TelemetryRecord, _ rhs: TelemetryRecord) -> Bool {
        if let sortField {
            switch (lhs[sortField], rhs[sortField]) {
            case (nil, nil): break
            case (nil, _): return false
            case (_, nil): return true
            case (let left?, let right?):
                if let order = left.isLess(than: right), left != right { return order == ascending }
            }
        } else if lhs.recordID != rhs.recordID {
            return (lhs.recordID.recordName < rhs.recordID.recordName) == ascending
        }
        return lhs.recordID.recordName < rhs.recordID.recordName
    }
}

extension TelemetryValue {
    /// Nil where the two are of kinds that have no order between them.
    fileprivate func isLess(than other: TelemetryValue) -> Bool? {
        switch (self, other) {
        case (.string(let left), .string(let right)): left < right
        case (.int(let left), .int(let right)): left < right
        case (.double(let left), .double(let right)): left < right
        case (.date(let left), .date(let right)): left < right
        case (.bool, .bool), (.bool, .int), (.int, .bool): (intValue ?? 0) < (other.intValue ?? 0)
        default: nil
        }
    }
}
