import Foundation

/// Adds up the events of each scenario, from what blocks have besides their text.
struct ScenarioSizes {
    /// The maximum number of scenarios.
    static let maximum = 10_000
    /// The maximum number of bytes of their names.
    static let maximumBytes = 4 << 20
    /// The maximum number of scenarios that are added up at once. Of more, the smaller half is dropped.
    private static let maximumParts = 100_000

    private struct Part {
        var events = 0
        var bytes: Int64 = 0
        /// When the last events of its blocks arrived, in milliseconds of the arrival clock. Until then a block is kept whole.
        var received: ClosedRange<Int64>
        /// A block with its events, and their cell.
        let block: Int64
        let cell: Int
    }

    /// The events of a block that have a scenario.
    private struct Share {
        /// The index of a cell of the block with this scenario.
        let cell: Int
        var events = 0
        var bytes: Int64 = 0
    }

    private let numbers: ClosedRange<Int64>
    private var parts: [Data?: Part] = [:]
    /// The largest ones, and their scenarios.
    private var named: [(scenario: String?, part: Part)] = []
    /// Whether there are more scenarios.
    private(set) var hasMore = false

    /// - Parameter numbers: those of the stored events.
    init(in numbers: ClosedRange<Int64>) { self.numbers = numbers }

    /// Adds the events of all blocks.
    mutating func addAll(_ db: any StorageConnection) throws {
        let reader = BlockReader(db, EventSelection(.all)) { _ in [] }
        try reader.forEachBlock(in: numbers, .ascending, [.summary, .entries]) { block in
            // What cannot be read has no events.
            try Self.ignoringDamage { try add(block, db) }
            return true
        }
        try nameLargest(db)
    }

    private static func ignoringDamage(_ body: () throws -> Void) throws {
        do { try body() } catch let error as RelayStorageError where error == BlockScanner.malformed {}
    }

    private mutating func add(_ block: EventBlock, _ db: any StorageConnection) throws {
        try Task.checkCancellation()
        let last = block.received.upperBound
        for (key, share) in try shares(of: block, block.summary(), db) {
            if parts[key] == nil, parts.count >= Self.maximumParts { dropSmaller() }
            var part = parts[key] ?? Part(received: last...last, block: block.id, cell: share.cell)
            part.events += share.events
            part.bytes += share.bytes
            part.received = min(part.received.lowerBound, last)...max(part.received.upperBound, last)
            parts[key] = part
        }
    }

    private mutating func dropSmaller() {
        hasMore = true
        let larger = parts.sorted { $0.value.bytes > $1.value.bytes }.prefix(Self.maximumParts / 2)
        parts = Dictionary(uniqueKeysWithValues: larger.map { ($0.key, $0.value) })
    }

    /// Reads the names of the largest scenarios, as many as there is room for.
    private mutating func nameLargest(_ db: any StorageConnection) throws {
        // Those of a block are read together if they are of one size.
        let ordered = parts.values.sorted { ($1.bytes, $0.block, $0.cell) < ($0.bytes, $1.block, $1.cell) }
        var names: (block: Int64, ofCells: [Int: String])?
        var room = Self.maximumBytes
        for part in ordered.prefix(Self.maximum) {
            try Task.checkCancellation()
            try Self.ignoringDamage {
                if names?.block != part.block, let block = try EventBlock.find(part.block, db) {
                    let summary = try block.summary()
                    names = (block.id, try block.scenarios(ofCells: 0..<summary.cellCount, summary, db))
                }
                guard names?.block == part.block else { return }
                let name = names?.ofCells[part.cell]
                let bytes = name?.utf8.count ?? 0
                guard bytes <= room else { return }
                room -= bytes
                named.append((name, part))
            }
        }
        hasMore = hasMore || named.count < parts.count
    }

    private func shares(
        of block: EventBlock, _ summary: BlockSummary, _ db: any StorageConnection
    ) throws -> [Data?: Share] {
        let scenarios = (0..<summary.cellCount).map { summary.kind(ofCell: $0).scenario }
        let isWhole = numbers.contains(block.numbers.lowerBound) && numbers.contains(block.numbers.upperBound)
        if isWhole, let scenario = scenarios.first, Set(scenarios).count == 1 {
            return [scenario: Share(cell: 0, events: block.count, bytes: block.size)]
        }
        let entries = try block.entries(db, of: summary)
        let sizes = block.sizes(ofCells: summary.cellCount, entries)
        var shares: [Data?: Share] = [:]
        for (cell, scenario) in scenarios.enumerated() { shares[scenario, default: Share(cell: cell)].bytes += sizes[cell] }
        for entry in entries where numbers.contains(entry.number) { shares[scenarios[entry.cell]]?.events += 1 }
        return shares.filter { $0.value.events > 0 }
    }

    /// The sizes, the largest first.
    /// - Parameters:
    ///   - limits: how long the events are kept.
    ///   - arrival: the arrival clock now.
    func sizes(_ limits: ScenarioLimits, now: Date, arrival: TimeInterval) -> [RelayScenarioSize] {
        named.map { scenario, part in
            let age = limits.limits[limits.index(of: scenario)].age
            func expiry(_ received: Int64) -> Date { now.addingTimeInterval(TimeInterval(received) / 1000 + age - arrival) }
            return RelayScenarioSize(
                scenario: scenario, events: part.events, bytes: part.bytes, firstExpires: expiry(part.received.lowerBound),
                lastExpires: expiry(part.received.upperBound))
        }.sorted { ($1.bytes, $0.scenario ?? "") < ($0.bytes, $1.scenario ?? "") }
    }
}
