#if DEBUG
import Foundation

/// The entries that wait to be sent to one place, oldest first, and the count of those that never will be.
///
/// A pure value: what it decides (which entries form a batch, which are dropped, what is told about a loss) is the same
/// whatever sends them.
struct DebugLogBuffer: Sendable {
    /// An entry on its way; a notice of a loss stands for the entries that it counts.
    struct Item: Sendable, Equatable {
        let number: UInt64
        let entry: DebugLogEntry
        let size: Int
        let lost: UInt64

        init(number: UInt64, entry: DebugLogEntry, lost: UInt64 = 0) {
            self.number = number
            self.entry = entry
            self.size = entry.approximateSize
            self.lost = lost
        }
    }

    /// How much waits at most, and how much of it is sent at once.
    struct Bounds: Sendable {
        /// How many items wait at most; one may always.
        var count = Int.max
        /// How many bytes wait at most, about.
        var size = Int.max
        var batchCount = Int.max
        /// About so many bytes form a batch, one entry in any case.
        var batchSize = Int.max
    }

    /// The name of the entry that tells of a loss; `count` in its payload is the number of entries lost.
    static let lossEvent = "debug_log.entries_lost"

    private(set) var items: [Item] = []
    /// The bytes that wait, about.
    private(set) var size = 0
    /// Entries lost and not yet told about.
    private(set) var lost: UInt64 = 0
    /// Whether batches go without a notice: the last one that had a notice was refused, and nothing was stored since.
    private var isNoticeWithheld = false
    /// The number of the newest entry that was ever appended.
    private(set) var lastNumber: UInt64 = 0
    var bounds: Bounds {
        didSet { trim() }
    }

    init(bounds: Bounds) {
        self.bounds = bounds
    }

    var isEmpty: Bool { items.isEmpty }
    /// Whether enough waits for a batch.
    var holdsBatch: Bool { items.count >= max(1, bounds.batchCount) || size >= bounds.batchSize }

    /// Adds the newest entry; drops the oldest where there is too much.
    mutating func append(_ entry: DebugLogEntry) {
        lastNumber += 1
        let item = Item(number: lastNumber, entry: entry)
        items.append(item)
        size += item.size
        trim()
    }

    /// Takes out the next batch, none of it newer than a number; empty where nothing that old waits.
    ///
    /// A loss is told at the batch's head, in an entry of its own that the limits do not count; after a refused notice only
    /// once a batch without one was stored.
    mutating func takeBatch(limit: Int, through number: UInt64, notice: (UInt64) -> DebugLogEntry) -> [Item] {
        var taken = 0
        var count = 0
        for item in items.prefix(max(1, limit)) where item.number <= number {
            guard count == 0 || taken + item.size <= bounds.batchSize else { break }
            taken += item.size
            count += 1
        }
        guard count > 0 else { return [] }
        var batch = Array(items[..<count])
        items.removeFirst(count)
        size -= taken
        if lost > 0, !isNoticeWithheld {
            batch.insert(Item(number: batch[0].number, entry: notice(lost), lost: lost), at: 0)
            lost = 0
        }
        return batch
    }

    /// Puts a batch back in front of what came since; drops the oldest where there is too much.
    mutating func putBack(_ batch: [Item]) {
        items.insert(contentsOf: batch, at: 0)
        size += batch.reduce(0) { $0 + $1.size }
        trim()
    }

    /// Takes over what refused notices counted, for a later notice. A notice is not itself an entry that was lost, or each
    /// would be the cause of another.
    mutating func withhold(_ notices: some Collection<Item>) {
        guard !notices.isEmpty else { return }
        lose(notices)
        isNoticeWithheld = true
    }

    /// Lets the next batch have a notice again: a batch without one was stored.
    mutating func allowNotice() { isNoticeWithheld = false }

    /// Counts items that will not be sent; a notice among them counts for what it told.
    mutating func lose(_ dropped: some Collection<Item>) {
        lost += dropped.reduce(0) { $0 + max(1, $1.lost) }
    }

    private mutating func trim() {
        var excess = 0
        while excess < items.count, items.count - excess > max(1, bounds.count) || size > bounds.size {
            size -= items[excess].size
            excess += 1
        }
        guard excess > 0 else { return }
        lose(items[..<excess])
        items.removeFirst(excess)
    }
}
#endif
