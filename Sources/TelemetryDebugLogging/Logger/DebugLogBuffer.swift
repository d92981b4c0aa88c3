#if DEBUG
import Foundation

/// The entries waiting to be sent to one destination, oldest first, and the count of dropped ones.
///
/// A pure value that decides which entries form a batch, which are dropped, and how a loss is reported.
struct DebugLogBuffer: Sendable {
    /// An entry to send, or a loss report for the entries that it counts.
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

    /// The limits of the buffer and of a batch.
    struct Bounds: Sendable {
        /// The maximum number of waiting items; at least 1.
        var count = Int.max
        /// The approximate limit of waiting bytes.
        var size = Int.max
        var batchCount = Int.max
        /// The approximate maximum size of a batch, in bytes; a batch has at least one entry.
        var batchSize = Int.max
    }

    /// The name of the entry that reports a loss; `count` in its payload is the number of lost entries.
    static let lossEvent = "debug_log.entries_lost"

    private(set) var items: [Item] = []
    /// The approximate number of waiting bytes.
    private(set) var size = 0
    /// Lost entries that are not yet reported.
    private(set) var lost: UInt64 = 0
    /// Whether batches are sent without a loss report: the last one with a report was refused, and nothing was stored since.
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
    /// Whether enough entries wait for a batch.
    var holdsBatch: Bool { items.count >= max(1, bounds.batchCount) || size >= bounds.batchSize }

    /// Adds the newest entry; drops the oldest above the limits.
    mutating func append(_ entry: DebugLogEntry) {
        lastNumber += 1
        let item = Item(number: lastNumber, entry: entry)
        items.append(item)
        size += item.size
        trim()
    }

    /// Removes and returns the next batch, up to an entry's number; empty if no such entry waits.
    ///
    /// A loss is reported by the batch's first entry, which does not count towards the limits; after a refused report, only once
    /// a batch without one was stored.
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

    /// Puts a batch back before newer entries; drops the oldest above the limits.
    mutating func putBack(_ batch: [Item]) {
        items.insert(contentsOf: batch, at: 0)
        size += batch.reduce(0) { $0 + $1.size }
        trim()
    }

    /// Adds the counts of refused loss reports to a later one. A report is not counted as a lost entry itself.
    mutating func withhold(_ notices: some Collection<Item>) {
        guard !notices.isEmpty else { return }
        lose(notices)
        isNoticeWithheld = true
    }

    /// Allows a loss report in the next batch again: a batch without one was stored.
    mutating func allowNotice() { isNoticeWithheld = false }

    /// Counts items that will not be sent; a loss report counts as the entries that it reported.
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
