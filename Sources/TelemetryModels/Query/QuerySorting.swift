/// Rows in the order of their values; rows with equal values keep their order.
struct QuerySorting<Row> {
    /// The maximum number of events that are held.
    private let eventLimit = 10_000

    private struct Entry {
        let keys: [QueryOrder]
        let index: Int
        let row: Row
    }

    private let keys: [QuerySortKey]
    /// What each key selects, and what its values are ordered as.
    private let fields: [(selected: QueryField, order: QueryField)]
    private let limit: Int
    private let hasEvents: Bool
    private var entries: [Entry] = []
    private var count = 0

    /// - Parameter limit: Only so many rows are needed.
    init(by keys: [QuerySortKey], limit: Int?, hasEvents: Bool) {
        self.keys = keys
        fields = keys.map { ($0.name.field(ofEvents: hasEvents), QueryField($0.name.text)) }
        self.limit = limit ?? .max
        self.hasEvents = hasEvents
    }

    mutating func add(_ subject: some QuerySubject, row: () -> Row) throws {
        guard limit > 0 else { return }
        let entry = Entry(keys: fields.map { QueryOrder(subject.value(of: $0.selected), of: $0.order) }, index: count, row: row())
        count += 1
        entries.append(entry)
        if entries.count / 2 >= limit {
            sort()
            entries.removeLast(entries.count - limit)
        }
        if hasEvents, entries.count > eventLimit, limit > eventLimit {
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
        entries.sort { [keys] left, right in
            for ((left, right), key) in zip(zip(left.keys, right.keys), keys) {
                if left.isBefore(right, isDescending: key.isDescending) { return true }
                if right.isBefore(left, isDescending: key.isDescending) { return false }
            }
            return left.index < right.index
        }
    }
}
