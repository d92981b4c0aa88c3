import Foundation
@_spi(Tooling) import TelemetryModels

/// The numbers of a block's events by level, name, scenario and severity. Readers skip blocks by it, and count by it.
struct BlockSummary: Sendable, Equatable {
    /// What the events of a cell have in common.
    struct Kind: Sendable, Hashable {
        let level: Int64
        let name: Data
        /// Nil for events without a scenario.
        let scenario: Data?
        /// Nil if it is not known: events are not read before they are compressed.
        var severity: QuerySeverity?
    }

    /// The number of events of one kind.
    private struct Cell: Sendable, Equatable {
        let level: Int64
        /// The index of the name.
        let name: Int
        /// The index of the scenario, from 1; 0 for none.
        let scenario: Int
        /// The index of the severity in their order, from 1; 0 if it is not known.
        let severity: Int
        var count: Int
    }

    private static let levels = TelemetryLogLevel.allCases.count
    /// Including the unknown one.
    private static let severities = QuerySeverity.allCases.count + 1

    private var names: [Data] = []
    private var scenarios: [Data] = []
    private var cells: [Cell] = []

    var cellCount: Int { cells.count }
    /// The number of events of each cell.
    var counts: [Int] { cells.map(\.count) }

    private init() {}

    init(_ data: Data) throws {
        var scanner = BlockScanner(data)
        for _ in 0..<(try scanner.count(atMost: data.count)) { names.append(try scanner.string()) }
        for _ in 0..<(try scanner.count(atMost: data.count)) { scenarios.append(try scanner.string()) }
        cells.reserveCapacity(names.count)
        while !scanner.isAtEnd {
            let place = try scanner.count(atMost: Self.severities * Self.levels * (scenarios.count + 1) - 1)
            let (kind, severity) = place.quotientAndRemainder(dividingBy: Self.severities)
            let name = try scanner.count(atMost: names.count - 1)
            let count = try scanner.count(atMost: Int(Int32.max))
            cells.append(
                Cell(
                    level: Int64(kind % Self.levels), name: name, scenario: kind / Self.levels, severity: severity, count: count))
        }
    }

    var encoded: Data {
        var writer = BlockWriter()
        writer.count(names.count)
        for name in names { writer.string(name) }
        writer.count(scenarios.count)
        for scenario in scenarios { writer.string(scenario) }
        for cell in cells {
            writer.count((cell.scenario * Self.levels + Int(cell.level)) * Self.severities + cell.severity)
            writer.count(cell.name)
            writer.count(cell.count)
        }
        return Data(writer.bytes)
    }

    func kind(ofCell index: Int) -> Kind {
        let cell = cells[index]
        return Kind(
            level: cell.level, name: names[cell.name], scenario: cell.scenario == 0 ? nil : scenarios[cell.scenario - 1],
            severity: cell.severity == 0 ? nil : QuerySeverity.allCases[cell.severity - 1])
    }

    /// For each cell, whether its events are selected, regardless of their times.
    func selected(by selection: EventSelection) -> [Bool] {
        let names = names.map(selection.contains(name:))
        let scenarios = [selection.contains(scenario: nil)] + scenarios.map(selection.contains(scenario:))
        return cells.map { names[$0.name] && scenarios[$0.scenario] && selection.contains(level: $0.level) }
    }

    /// Cells together whose events have a level and a scenario in common, and a name and a severity if the cells are grouped by them.
    struct Group {
        let kind: Kind
        var count = 0
        /// The indices of the cells.
        var places: [Int] = []
    }

    /// The cells for which a flag is set.
    /// - Parameter fields: without the name or the severity, the cells of a group may have several, of which its kind has one.
    func groups(by fields: Set<QueryField>, where isSelected: [Bool]) -> [Group] {
        let (byName, bySeverity) = (fields.contains(.name), fields.contains(.severity))
        var groups: [Group] = []
        var known: [Int: Int] = [:]
        for (place, cell) in cells.enumerated() where isSelected[place] {
            let number = (cell.scenario * Self.levels + Int(cell.level)) * Self.severities + (bySeverity ? cell.severity : 0)
            let key = number * names.count + (byName ? cell.name : 0)
            let index = known[key] ?? groups.count
            if index == groups.count {
                known[key] = index
                groups.append(Group(kind: kind(ofCell: place)))
            }
            groups[index].count += cell.count
            groups[index].places.append(place)
        }
        return groups
    }

    /// Counts events.
    struct Builder {
        private(set) var summary = BlockSummary()
        private var names: [Data: Int] = [:]
        private var scenarios: [Data: Int] = [:]
        private var cells: [Kind: Int] = [:]
        private var last: (kind: Kind, cell: Int)?

        /// Counts an event.
        /// - Returns: the index of its cell.
        mutating func add(_ kind: Kind) -> Int {
            if let last, last.kind == kind {
                summary.cells[last.cell].count += 1
                return last.cell
            }
            let cell = cells[kind] ?? addCell(kind)
            summary.cells[cell].count += 1
            last = (kind, cell)
            return cell
        }

        private mutating func addCell(_ kind: Kind) -> Int {
            let name = Self.place(of: kind.name, &summary.names, &names)
            let scenario = kind.scenario.map { Self.place(of: $0, &summary.scenarios, &scenarios) + 1 } ?? 0
            let severity = kind.severity.flatMap(QuerySeverity.allCases.firstIndex).map { $0 + 1 } ?? 0
            cells[kind] = summary.cells.count
            summary.cells.append(Cell(level: kind.level, name: name, scenario: scenario, severity: severity, count: 0))
            return summary.cells.count - 1
        }

        /// Counts another event of a cell.
        mutating func add(toCell cell: Int) { summary.cells[cell].count += 1 }

        private static func place(of key: Data, _ table: inout [Data], _ places: inout [Data: Int]) -> Int {
            if let place = places[key] { return place }
            places[key] = table.count
            table.append(key)
            return table.count - 1
        }
    }
}

extension TelemetryLogLevel {
    init?(storedNumber number: Int64) {
        guard let level = Self.allCases.first(where: { $0.storedNumber == number }) else { return nil }
        self = level
    }

    /// The stored form.
    var storedNumber: Int64 {
        switch self {
        case .info: 0
        case .diagnostic: 1
        }
    }
}
