/// Rows in the order of their values; rows with equal values are in the order of their positions.
struct QueryRows<Row> {
    /// The maximum number of events that are sorted.
    private let eventLimit = 10_000

    fileprivate struct Entry {
        let keys: [QueryOrder]
        let position: Int64
        let row: Row
        let byteCount: Int
    }

    private let keys: [QuerySortKey]
    /// What each key selects, and what its values are ordered as.
    private let fields: [(selected: QueryField, order: QueryField)]
    private let limit: Int
    private let hasEvents: Bool
    private var entries: [Entry] = []
    /// Rows after these keys and this position are not among the first ones.
    private var last: (keys: [QueryOrder], position: Int64)?
    /// The approximate size of the rows, in bytes.
    private(set) var byteCount = 0
    /// Whether rows were left out that belong to the first ones.
    private(set) var isCut = false
    /// Whether the rows are in another order than that of their positions.
    var isSorted: Bool { !keys.isEmpty }

    /// - Parameter limit: Only so many rows are needed.
    init(by keys: [QuerySortKey] = [], limit: Int, hasEvents: Bool = false) {
        self.keys = keys
        fields = keys.map { ($0.name.field(ofEvents: hasEvents), QueryField($0.name.text)) }
        self.limit = limit
        self.hasEvents = hasEvents
    }

    mutating func add(
        _ subject: some QuerySubject, at position: Int64, size: (Row) -> Int, _ row: () -> Row
    ) throws {
        guard limit > 0 else { return }
        let values = fields.map { QueryOrder(subject.value(of: $0.selected), of: $0.order) }
        if let last, Self.isBefore(last.keys, last.position, values, position, by: keys) { return }
        let row = row()
        let entry = Entry(keys: values, position: position, row: row, byteCount: size(row) + MemoryLayout<Entry>.stride)
        try add(CollectionOfOne(entry))
    }

    /// Adds the rows that were added to others with the same keys and limit.
    mutating func merge(_ other: Self) throws {
        let ends = [self, other].compactMap { $0.isCut ? $0.last?.position : nil }
        try add(other.entries)
        if let end = ends.min() { cut(after: end) }
    }

    /// Leaves out the last rows of those that are in the order of their positions, and all rows after them.
    /// - Parameter byteLimit: The size of the rows that stay, of which there is one at least.
    mutating func cut(to byteLimit: Int) {
        sort()
        var size = 0
        let end = entries.dropLast().first { entry in
            size += entry.byteCount
            return size > byteLimit
        }
        if let end = end ?? entries.last { cut(after: end.position) }
    }

    private mutating func cut(after position: Int64) {
        entries.removeAll { $0.position > position }
        byteCount = entries.reduce(0) { $0 + $1.byteCount }
        last = ([], position)
        isCut = true
    }

    private mutating func add(_ added: some Collection<Entry>) throws {
        entries += added
        byteCount += added.reduce(0) { $0 + $1.byteCount }
        if entries.count / 2 >= limit {
            sort()
            for entry in entries[limit...] { byteCount -= entry.byteCount }
            entries.removeLast(entries.count - limit)
            last = entries.last.map { ($0.keys, $0.position) }
        }
        if !keys.isEmpty, hasEvents, entries.count > eventLimit, limit > eventLimit {
            throw TelemetryQueryError(
                message: "More than \(eventLimit) events would be sorted: use a smaller limit, or match fewer.", offset: 0)
        }
    }

    var rows: [Row] {
        var sorted = self
        sorted.sort()
        return sorted.entries.prefix(limit).map(\.row)
    }

    private mutating func sort() {
        entries.sort { [keys] in Self.isBefore($0.keys, $0.position, $1.keys, $1.position, by: keys) }
    }

    private static func isBefore(
        _ left: [QueryOrder], _ position: Int64, _ right: [QueryOrder], _ other: Int64, by keys: [QuerySortKey]
    ) -> Bool {
        for (index, key) in keys.enumerated() {
            if left[index].isBefore(right[index], isDescending: key.isDescending) { return true }
            if right[index].isBefore(left[index], isDescending: key.isDescending) { return false }
        }
        return position < other
    }
}

extension QueryRows: Sendable where Row: Sendable {}
extension QueryRows.Entry: Sendable where Row: Sendable {}
