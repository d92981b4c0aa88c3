#if DEBUG
import Foundation

/// The entries that wait to be sent, oldest first, and the count of those that never will be.
///
/// A pure value: what it decides (which entries form a batch, which are dropped, what is told about a loss) is the same
/// whatever sends them.
struct DebugLogBuffer: Sendable {
    /// An entry on its way; a notice of a loss stands for the entries that it counts.
    struct Item: Sendable, Equatable {
        let number: UInt64
        let entry: DebugLogEntry
        var lost: UInt64 = 0
    }

    /// The name of the entry that tells of a loss; `count` in its payload is the number of entries lost.
    static let lossEvent = "debug_log.entries_lost"

    private(set) var items: [Item] = []
    /// Entries lost and not yet told about.
    private(set) var lost: UInt64 = 0
    /// The number of the newest entry that was ever appended.
    private(set) var lastNumber: UInt64 = 0
    /// How many items wait at most; at least one does.
    var capacity: Int {
        didSet { trim() }
    }

    init(capacity: Int) {
        self.capacity = capacity
    }

    var isEmpty: Bool { items.isEmpty }
    var count: Int { items.count }

    /// Adds the newest entry; drops the oldest where there are too many.
    mutating func append(_ entry: DebugLogEntry) {
        lastNumber += 1
        items.append(Item(number: lastNumber, entry: entry))
        trim()
    }

    /// Takes out the next batch, none of it newer than a number; empty where nothing that old waits.
    ///
    /// A loss is told at the batch's head, in an entry of its own that the limit does not count.
    mutating func takeBatch(limit: Int, through number: UInt64, notice: (UInt64) -> DebugLogEntry) -> [Item] {
        let count = items.prefix(max(1, limit)).prefix { $0.number <= number }.count
        guard count > 0 else { return [] }
        var batch = Array(items[..<count])
        items.removeFirst(count)
        if lost > 0 {
            batch.insert(Item(number: batch[0].number, entry: notice(lost), lost: lost), at: 0)
            lost = 0
        }
        return batch
    }

    /// Puts a batch back in front of what came since; drops the oldest where there are too many.
    mutating func putBack(_ batch: [Item]) {
        items.insert(contentsOf: batch, at: 0)
        trim()
    }

    /// Counts items that will not be sent; a notice among them counts for what it told.
    mutating func lose(_ dropped: some Collection<Item>) {
        lost += dropped.reduce(0) { $0 + max(1, $1.lost) }
    }

    private mutating func trim() {
        let excess = items.count - max(1, capacity)
        guard excess > 0 else { return }
        lose(items[..<excess])
        items.removeFirst(excess)
    }
}
#endif
