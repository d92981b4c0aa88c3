/// The first rows after a position, found among rows in any order.
struct RecordCandidates {
    struct Candidate {
        let id: Int64
        let position: RecordOrder.Position
    }

    private let order: RecordOrder
    private let after: RecordOrder.Position?
    /// The maximum number of candidates. At most twice as many are in memory.
    private let capacity: Int
    private var candidates: [Candidate] = []
    /// The position of the last candidate; nil while all rows are candidates.
    private var last: RecordOrder.Position?

    init(_ order: RecordOrder, after: RecordOrder.Position?, capacity: Int) {
        (self.order, self.after, self.capacity) = (order, after, capacity)
    }

    mutating func consider(_ id: Int64, _ position: RecordOrder.Position) {
        if let after, !order.precedes(after, position) { return }
        if let last, !order.precedes(position, last) { return }
        candidates.append(Candidate(id: id, position: position))
        if candidates.count >= 2 * capacity { shorten() }
    }

    /// The candidates in order, and whether there are rows after them.
    mutating func sorted() -> (candidates: [Candidate], hasMore: Bool) {
        shorten()
        return (candidates, last != nil)
    }

    private mutating func shorten() {
        candidates.sort { order.precedes($0.position, $1.position) }
        guard candidates.count > capacity else { return }
        candidates.removeSubrange(capacity...)
        last = candidates[capacity - 1].position
    }
}
