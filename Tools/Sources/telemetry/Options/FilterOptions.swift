import ArgumentParser
import Foundation
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
    @Option(
        name: .shortAndLong,
        help:
            "Only events of this client: an identifier, an unambiguous prefix, an alias, or a pattern with * and ?. May be repeated.",
        completion: Completions.clients)
    var client: [String] = []

    @Option(help: "Only events of this session.")
    var session: String?

    @Option(name: .shortAndLong, help: "Only events of this scenario; may be repeated.", completion: Completions.scenarios)
    var scenario: [String] = []

    @Option(help: "Only events of this level; may be repeated.")
    var level: [LevelArgument] = []

    @Option(help: "Only events with this name; may be repeated.")
    var name: [String] = []

    @Option(help: "Only events since this date: 10m, 2026-11-21, \"2026-11-21 14:03\".")
    var since: String?

    @Option(help: "Only events before this date.")
    var until: String?

    @OptionGroup var condition: WhereOption

    /// Whether the filter excludes some events of a session.
    var isNarrow: Bool {
        !scenario.isEmpty || !level.isEmpty || !name.isEmpty || since != nil || until != nil || condition.text != nil
    }

    func validate() throws {
        _ = try date(since, "--since")
        _ = try date(until, "--until")
    }

    /// - Parameter console: Where to note selected clients that the store does not contain; nil throws for them.
    func resolved(
        over transport: any TelemetryTransporting, in store: StoreOptions, notingUnknownOn console: Console? = nil
    ) async throws -> EventCriteria {
        var criteria = EventCriteria()
        if !client.isEmpty {
            let found = try await store.resolver(over: transport).clients(client, acceptsUnknown: console != nil)
            if let console { try await note(found, over: transport, console) }
            let identifiers = found.identifiers.union(found.unknown)
            // A pattern also selects clients that appear while events are followed.
            criteria.clientPatterns = console == nil ? [] : found.patterns
            if identifiers.count == 1, criteria.clientPatterns.isEmpty {
                criteria.filter.clientId = identifiers.first
            } else {
                criteria.clients = identifiers
            }
        }
        criteria.filter = try filter(of: criteria.filter)
        return criteria
    }

    private func filter(of clients: TelemetryEventFilter) throws -> TelemetryEventFilter {
        var filter = clients
        filter.sessionId = session
        if !scenario.isEmpty { filter.scenarios = Set(scenario) }
        if !level.isEmpty { filter.levels = Set(level.map(\.level)) }
        if !name.isEmpty { filter.names = Set(name) }
        filter.since = try date(since, "--since")
        filter.until = try date(until, "--until")
        filter.query = try condition.query()
        return filter
    }

    /// Whether the filter excludes all new events.
    func endsInThePast() throws -> Bool { try date(until, "--until").map { $0 < .now } ?? false }

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

    /// Prints the selected clients that are unknown, and those without a record, whose events may still be stored.
    private func note(
        _ selection: ClientSelection, over transport: any TelemetryRecordTransport, _ console: Console
    ) async throws {
        selection.warnings.forEach(console.note)
        let known = Set(try await transport.fetchTelemetryClients().map(\.clientId))
        for clientId in selection.identifiers.subtracting(known).sorted() {
            console.note(
                "Client \"\(clientId.visible.fitted(to: 80))\" has no record now: it ended its telemetry, or was deleted.")
        }
    }

    private func date(_ text: String?, _ option: String) throws -> Date? { try text.map { try Self.date($0, option) } }

    /// The date that a user typed.
    static func date(_ text: String, _ option: String) throws -> Date {
        guard let date = DateParser.date(text, now: .now) else {
            throw ValidationError(
                "\(option) \"\(text)\" is not a valid date. Examples: 10m, 2h, 2026-11-21, \"2026-11-21 14:03\".")
        }
        return date
    }
}
