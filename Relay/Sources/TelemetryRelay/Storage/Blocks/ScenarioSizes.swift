import Foundation

/// Adds up the events of each scenario, from what blocks have besides their text.
struct ScenarioSizes {
    /// The maximum number of scenarios.
    static let maximum = 10_000
    /// The maximum number of bytes of their names.
    static let maximumBytes = 4 << 20

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
    private let textBytes: Int
    private let maximumParts: Int
    private var parts: [Data?: Part] = [:]
    /// The largest ones, and their scenarios.
    private var named: [(scenario: String?, part: Part)] = []
    /// Whether there are more scenarios.
    private(set) var hasMore = false

    /// - Parameters:
    ///   - numbers: those of the stored events.
    ///   - textBytes: how many bytes of texts are read for names that are too long to be their own key.
    ///   - maximumParts: how many scenarios are added up at once. Of more, the smaller half is dropped.
    init(in numbers: ClosedRange<Int64>, textBytes: Int = 64 << 20, maximumParts: Int = 100_000) {
        (self.numbers, self.textBytes, self.maximumParts) = (numbers, textBytes, maximumParts)
    }

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
        try nameLargest(db)
    }

    private mutating func add(_ block: EventBlock, _ db: any StorageConnection) throws {
        try Task.checkCancellation()
        let last = block.received.upperBound
        for (key, share) in try shares(of: block, block.summary(), db) {
            if parts[key] == nil, parts.count >= maximumParts { dropSmaller() }
            var part = parts[key] ?? Part(received: last...last, block: block.id, cell: share.cell)
            part.events += share.events
            part.bytes += share.bytes
            part.received = min(part.received.lowerBound, last)...max(part.received.upperBound, last)
            parts[key] = part
        }
    }

    private mutating func dropSmaller() {
        hasMore = true
        let larger = parts.sorted { $0.value.bytes > $1.value.bytes }.prefix(maximumParts / 2)
        parts = Dictionary(uniqueKeysWithValues: larger.map { ($0.key, $0.value) })
    }

    /// Finds the names of the largest scenarios, as many as there is room for.
    private mutating func nameLargest(_ db: any StorageConnection) throws {
        // Those of a block are read together if they are of one size.
        let ordered = parts.sorted {
            ($1.value.bytes, $0.value.block, $0.value.cell) < ($0.value.bytes, $1.value.block, $1.value.cell)
        }
        var room = Self.maximumBytes
        var texts = NameTexts(room: textBytes)
        for (key, part) in ordered.prefix(Self.maximum) {
            try Task.checkCancellation()
            let name: String?
            if let key, NameKey.isDigest(key) {
                guard let long = try texts.scenario(ofCell: part.cell, in: part.block, db) else { continue }
                name = long
            } else {
                name = key.map(EventBlock.scenario)
            }
            let bytes = name?.utf8.count ?? 0
            guard bytes <= room else { continue }
            room -= bytes
            named.append((name, part))
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

/// Reads names that are too long to be their own key from the texts of blocks.
private struct NameTexts {
    /// How many more bytes of texts are read.
    private var room: Int
    private var block: Int64?
    /// Those of the block's cells.
    private var names: [Int: String] = [:]

    init(room: Int) { self.room = room }

    /// Nil if it cannot be read, or too much was read.
    mutating func scenario(ofCell cell: Int, in id: Int64, _ db: any StorageConnection) throws -> String? {
        if block != id {
            (block, names) = (id, [:])
            guard let found = try EventBlock.find(id, db), found.length <= room else { return nil }
            room -= found.length
            do {
                let summary = try found.summary()
                names = try found.scenarios(ofCells: 0..<summary.cellCount, summary, db)
            } catch let error as RelayStorageError where error == BlockScanner.malformed {
                return nil
            }
        }
        return names[cell]
    }
}
