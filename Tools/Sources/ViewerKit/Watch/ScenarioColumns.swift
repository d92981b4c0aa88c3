import Foundation
import TelemetryModels

/// The columns of the scenarios for which there is room: the level, the time left, the contexts, and the source of the decision.
struct ScenarioColumns {
    private enum Column: CaseIterable { case level, timeLeft, context, source }

    private static let maximumWidth = 20

    private let now: Date
    private var usesShortLevels = false
    private var columns: [(column: Column, width: Int)] = []

    init(_ scenarios: [TelemetryScenarioRecord], room: Int, now: Date) {
        self.now = now
        // Short levels leave room for the other columns.
        for usesShortLevels in [false, true] {
            self.usesShortLevels = usesShortLevels
            if fit(scenarios, room) { break }
        }
    }

    func add(_ scenario: TelemetryScenarioRecord, to line: inout ScreenLine) {
        for (column, width) in columns {
            line.add(text(column, scenario), column == .level ? .plain : .dim, column: width - 1)
            line.add(" ")
        }
    }

    /// Chooses the columns that fit. Returns whether all of them do.
    private mutating func fit(_ scenarios: [TelemetryScenarioRecord], _ room: Int) -> Bool {
        columns = []
        var room = room
        for column in Column.allCases {
            let widest = scenarios.reduce(0) { max($0, text(column, $1).shortened.visible.displayWidth) }
            // A column without contents is omitted.
            guard widest > 0 else { continue }
            let width = min(Self.maximumWidth, widest) + 1
            guard width <= room else { return false }
            columns.append((column, width))
            room -= width
        }
        return true
    }

    private func text(_ column: Column, _ scenario: TelemetryScenarioRecord) -> String {
        let text =
            switch column {
            case .level: usesShortLevels ? ScenarioText.shortLevel(scenario) : ScenarioText.level(scenario)
            case .timeLeft: ScenarioText.timeLeft(scenario, now: now)
            case .context: ScenarioText.context(scenario)
            case .source: ScenarioText.source(scenario)
            }
        return text == "–" ? "" : text
    }
}
