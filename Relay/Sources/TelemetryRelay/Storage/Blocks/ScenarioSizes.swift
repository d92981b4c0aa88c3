import Foundation
@_spi(Tooling) import TelemetryModels

/// Adds up the events of each scenario, from what blocks have besides their text.
struct ScenarioSizes {
    /// The maximum number of scenarios.
    static let maximum = 10_000

    private struct Part {
        let scenario: String?
        var events = 0
        var bytes: Int64 = 0
        /// When its events arrived, in milliseconds of the arrival clock.
        var received: ClosedRange<Int64>

        mutating func add(_ events: Int, _ bytes: Int64, _ received: ClosedRange<Int64>) {
            self.events += events
            self.bytes += bytes
            self.received =
                min(self.received.lowerBound, received.lowerBound)...max(self.received.upperBound, received.upperBound)
        }
    }

    private let selection: EventSelection
    private let numbers: ClosedRange<Int64>
    private var parts: [Data?: Part] = [:]

    /// - Parameters:
    ///   - selection: the events to add up, without a query.
    ///   - numbers: those of the stored events.
    init(_ selection: EventSelection, in numbers: ClosedRange<Int64>) { (self.selection, self.numbers) = (selection, numbers) }

    /// Adds the selected events of all blocks.
    /// - Throws: `TelemetryQueryError` if there are too many scenarios.
    mutating func addAll(_ db: any StorageConnection) throws {
        try BlockReader(db, selection) { _ in [] }.forEachBlock(in: numbers, .ascending, [.summary, .entries]) { block in
            try Task.checkCancellation()
            do {
                try add(block, db)
            } catch let error as RelayStorageError where error == BlockScanner.malformed {
                // It has no events that can be read.
            }
            return true
        }
    }

    private mutating func add(_ block: EventBlock, _ db: any StorageConnection) throws {
        let summary = try block.summary()
        let isSelected = summary.selected(by: selection)
        let scenarios = (0..<summary.cellCount).map { summary.kind(ofCell: $0).scenario }
        guard isSelected.contains(true) else { return }
        if Set(scenarios).count == 1, selection.covers(block, in: numbers) {
            return try add(summary.counts.reduce(0, +), block.size, ofCell: 0, scenarios, block, summary, db)
        }
        let entries = try block.entries(db, of: summary)
        let sizes = block.sizes(ofCells: summary.cellCount, entries)
        var counts = summary.counts.map { _ in 0 }
        for entry in entries where numbers.contains(entry.number) { counts[entry.cell] += 1 }
        for cell in 0..<summary.cellCount where isSelected[cell] && counts[cell] > 0 {
            try add(counts[cell], sizes[cell], ofCell: cell, scenarios, block, summary, db)
        }
    }

    private mutating func add(
        _ events: Int, _ bytes: Int64, ofCell cell: Int, _ scenarios: [Data?], _ block: EventBlock, _ summary: BlockSummary,
        _ db: any StorageConnection
    ) throws {
        let key = scenarios[cell]
        if parts[key] == nil {
            guard parts.count < Self.maximum else {
                throw TelemetryQueryError(message: "The events have more than \(Self.maximum) scenarios.", offset: 0)
            }
            parts[key] = Part(scenario: try block.scenario(ofCell: cell, summary, db), received: block.received)
        }
        parts[key]?.add(events, bytes, block.received)
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
