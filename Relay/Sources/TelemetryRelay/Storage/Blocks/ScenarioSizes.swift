import Foundation

/// Adds up the events of each scenario, from what blocks have besides their text.
struct ScenarioSizes {
    /// The maximum number of scenarios.
    static let maximum = 10_000

    private struct Part {
        let scenario: String?
        var events = 0
        var bytes: Int64 = 0
        /// When the last events of its blocks arrived, in milliseconds of the arrival clock. Until then a block is kept whole.
        var received: ClosedRange<Int64>
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
    /// Whether there are more scenarios.
    private(set) var hasMore = false

    /// - Parameter numbers: those of the stored events.
    init(in numbers: ClosedRange<Int64>) { self.numbers = numbers }

    /// Adds the events of all blocks.
    mutating func addAll(_ db: any StorageConnection) throws {
        let reader = BlockReader(db, EventSelection(.all)) { _ in [] }
        try reader.forEachBlock(in: numbers, .ascending, [.summary, .entries]) { block in
            do {
                try add(block, db)
            } catch let error as RelayStorageError where error == BlockScanner.malformed {
                // It has no events that can be read.
            }
            return true
        }
    }

    private mutating func add(_ block: EventBlock, _ db: any StorageConnection) throws {
        try Task.checkCancellation()
        let summary = try block.summary()
        let shares = try shares(of: block, summary, db)
        let new = shares.filter { parts[$0.key] == nil }
        let room = Self.maximum - parts.count
        hasMore = hasMore || new.count > room
        let last = block.received.upperBound
        let names = try block.scenarios(ofCells: new.prefix(room).map(\.value.cell), summary, db)
        for (key, share) in new.prefix(room) { parts[key] = Part(scenario: names[share.cell], received: last...last) }
        for (key, share) in shares {
            guard var part = parts[key] else { continue }
            part.events += share.events
            part.bytes += share.bytes
            part.received = min(part.received.lowerBound, last)...max(part.received.upperBound, last)
            parts[key] = part
        }
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
        parts.values.map { part in
            let age = limits.limits[limits.index(of: part.scenario)].age
            func expiry(_ received: Int64) -> Date { now.addingTimeInterval(TimeInterval(received) / 1000 + age - arrival) }
            return RelayScenarioSize(
                scenario: part.scenario, events: part.events, bytes: part.bytes, firstExpires: expiry(part.received.lowerBound),
                lastExpires: expiry(part.received.upperBound))
        }.sorted { ($1.bytes, $0.scenario ?? "") < ($0.bytes, $1.scenario ?? "") }
    }
}
