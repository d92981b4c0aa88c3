import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

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

/// The options that filter events.
struct FilterOptions: ParsableArguments {
    @Option(help: "Only events of this client; an unambiguous prefix is enough.", completion: Completions.clients)
    var client: String?

    @Option(help: "Only events of this session.")
    var session: String?

    @Option(help: "Only events of this scenario; may be repeated.", completion: Completions.scenarios)
    var scenario: [String] = []

    @Option(help: "Only events of this level; may be repeated.")
    var level: [LevelArgument] = []

    @Option(help: "Only events with this name; may be repeated.")
    var name: [String] = []

    @Option(help: "Only events since this date: 10m, 2026-11-21, \"2026-11-21 14:03\".")
    var since: String?

    @Option(help: "Only events before this date.")
    var until: String?

    /// Whether the filter excludes some events of a session.
    var isNarrow: Bool {
        !scenario.isEmpty || !level.isEmpty || !name.isEmpty || since != nil || until != nil
    }

    func validate() throws {
        _ = try date(since, "--since")
        _ = try date(until, "--until")
    }

    func resolved(over transport: any TelemetryRecordTransport) async throws -> TelemetryEventFilter {
        var filter = TelemetryEventFilter.all
        if let client { filter.clientId = try await clientId(client, transport) }
        filter.sessionId = session
        if !scenario.isEmpty { filter.scenarios = Set(scenario) }
        if !level.isEmpty { filter.levels = Set(level.map(\.level)) }
        if !name.isEmpty { filter.names = Set(name) }
        filter.since = try date(since, "--since")
        filter.until = try date(until, "--until")
        return filter
    }

    private func clientId(_ client: String, _ transport: any TelemetryRecordTransport) async throws -> String {
        try await ClientResolver(transport: transport).client(client).clientId
    }

    private func date(_ text: String?, _ option: String) throws -> Date? {
        guard let text else { return nil }
        guard let date = DateParser.date(text, now: .now) else {
            throw ValidationError(
                "\(option) \"\(text)\" is not a valid date. Examples: 10m, 2h, 2026-11-21, \"2026-11-21 14:03\".")
        }
        return date
    }
}
