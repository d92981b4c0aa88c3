import ArgumentParser
@_spi(Tooling) import TelemetryModels
import TelemetryTransport
@_spi(Tooling) import ViewerKit

/// A level as a command-line argument.
enum LevelArgument: String, CaseIterable, ExpressibleByArgument {
    case info, diagnostic

    var level: TelemetryLogLevel {
        switch self {
        case .info: .info
        case .diagnostic: .diagnostic
        }
    }
}

/// A severity as a command-line argument, in any of the words of loggers.
struct SeverityArgument: ExpressibleByArgument {
    let severity: QuerySeverity

    init?(argument: String) {
        guard let severity = QuerySeverity(word: argument) else { return nil }
        self.severity = severity
    }

    static var allValueStrings: [String] { QuerySeverity.allCases.map(\.rawValue) }
}

/// The options that filter events.
struct FilterOptions: ParsableArguments {
    @OptionGroup var selection: SelectionOptions

    @Option(help: "Only events of this session.")
    var session: String?

    @Option(name: .shortAndLong, help: "Only events of this scenario; may be repeated.", completion: Completions.scenarios)
    var scenario: [String] = []

    @Option(help: "Only events of this level; may be repeated.")
    var level: [LevelArgument] = []

    @Option(help: "Only events with this name; may be repeated.")
    var name: [String] = []

    /// Whether the filter excludes some events of a session.
    var isNarrow: Bool {
        !scenario.isEmpty || !level.isEmpty || !name.isEmpty || selection.since != nil || selection.until != nil
            || selection.condition.text != nil
    }

    /// - Parameter console: Where to note selected clients that the store does not contain; nil throws for them.
    func resolved(
        over transport: any TelemetryTransporting, in store: StoreOptions, notingUnknownOn console: Console? = nil
    ) async throws -> EventCriteria {
        var criteria = try await selection.resolved(over: transport, in: store, notingUnknownOn: console)
        criteria.filter.sessionId = session
        if !scenario.isEmpty { criteria.filter.scenarios = Set(scenario) }
        if !level.isEmpty { criteria.filter.levels = Set(level.map(\.level)) }
        if !name.isEmpty { criteria.filter.names = Set(name) }
        return criteria
    }

    /// Prints the selected scenarios that no client has now. Their events may still be stored.
    func noteUnknownScenarios(over transport: any TelemetryRecordTransport, _ console: Console) async throws {
        guard !scenario.isEmpty else { return }
        let known = Set(try await transport.fetchScenarios().map(\.scenarioName))
        for name in scenario where !known.contains(name) {
            console.note(
                "No client has a scenario \"\(name.visible.fitted(to: 80))\" now."
                    + (known.isEmpty ? "" : " Scenarios: \(known.nameList)."))
        }
    }
}
