import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTransport

/// The limits of a retention on the events of each scenario.
struct ScenarioLimits: Sendable {
    struct Limit: Sendable {
        let age: TimeInterval
        /// Nil if only the size of all events is limited.
        let bytes: Int?
    }

    private let rules: [RetentionRule]
    /// The limits of the rules in their order, and last the one that holds where no rule does.
    let limits: [Limit]
    /// From the shortest to the longest.
    let ages: ClosedRange<TimeInterval>

    init(_ retention: RelayEventRetention) {
        rules = retention.rules
        limits =
            retention.rules.map { Limit(age: $0.age ?? retention.age, bytes: $0.bytes) } + [Limit(age: retention.age, bytes: nil)]
        ages = limits.reduce(retention.age...retention.age) { min($0.lowerBound, $1.age)...max($0.upperBound, $1.age) }
    }

    var hasRules: Bool { !rules.isEmpty }

    /// The index of the limit that holds for the events of a scenario.
    /// - Parameter scenario: nil for events without a scenario.
    func index(of scenario: String?) -> Int {
        scenario.flatMap { name in rules.firstIndex { $0.scenario.matches(name) } } ?? rules.count
    }

    /// For each cell of a block's summary, the index of the limit that holds for its events.
    /// - Parameter known: the indices by the keys of scenarios.
    func indices(
        of block: EventBlock, _ summary: BlockSummary, _ db: any StorageConnection, known: inout [Data: Int]
    ) throws -> [Int] {
        let keys = (0..<summary.cellCount).map { summary.kind(ofCell: $0).scenario }
        let unknown = keys.indices.filter { cell in keys[cell].map { known[$0] == nil } ?? false }
        let names = try block.scenarios(ofCells: unknown, summary, db)
        for cell in unknown { if let key = keys[cell] { known[key] = index(of: names[cell]) } }
        return keys.map { key in key.flatMap { known[$0] } ?? rules.count }
    }

    /// The shortest age of the limits that hold for the events of a block, or of all limits if a scenario is not known.
    /// - Parameter summary: the block's; nil if it cannot be read.
    func shortestAge(in summary: BlockSummary?) -> TimeInterval {
        guard let summary else { return ages.lowerBound }
        return (0..<summary.cellCount).map { cell in
            let key = summary.kind(ofCell: cell).scenario
            if let key, NameKey.isDigest(key) { return ages.lowerBound }
            return limits[index(of: key.map(EventBlock.scenario(ofKey:)))].age
        }.min() ?? ages.lowerBound
    }
}
