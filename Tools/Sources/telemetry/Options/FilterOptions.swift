import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// A level as it is typed.
enum LevelArgument: String, CaseIterable, ExpressibleByArgument {
    case info, diagnostic

    var level: TelemetryLogLevel {
        switch self {
        case .info: .info
        case .diagnostic: .diagnostic
        }
    }
}

/// Which events are meant.
struct FilterOptions: ParsableArguments {
    @Option(help: "Only those of this client, or of the one whose identifier begins so.", completion: Completions.clients)
    var client: String?

    @Option(help: "Only those of this session.")
    var session: String?

    @Option(help: "Only those of this scenario; may be repeated.", completion: Completions.scenarios)
    var scenario: [String] = []

    @Option(help: "Only those of this level; may be repeated.")
    var level: [LevelArgument] = []

    @Option(help: "Only those of this name; may be repeated.")
    var name: [String] = []

    @Option(help: "Only those since then: 10m, 2026-11-21, \"2026-11-21 14:03\".")
    var since: String?

    @Option(help: "Only those before then.")
    var until: String?

    /// Whether it leaves out some of a session's events.
    var isNarrow: Bool {
        !scenario.isEmpty || !level.isEmpty || !name.isEmpty || since != nil || until != nil
    }

    func validate() throws {
        _ = try moment(since, "--since")
        _ = try moment(until, "--until")
    }

    func resolved(over transport: any TelemetryRecordTransport) async throws -> TelemetryEventFilter {
        var filter = TelemetryEventFilter.all
        if let client { filter.clientId = try await clientId(client, transport) }
        filter.sessionId = session
        if !scenario.isEmpty { filter.scenarios = Set(scenario) }
        if !level.isEmpty { filter.levels = Set(level.map(\.level)) }
        if !name.isEmpty { filter.names = Set(name) }
        filter.since = try moment(since, "--since")
        filter.until = try moment(until, "--until")
        return filter
    }

    private func clientId(_ client: String, _ transport: any TelemetryRecordTransport) async throws -> String {
        try await ClientResolver(transport: transport).client(client).clientId
    }

    private func moment(_ text: String?, _ option: String) throws -> Date? {
        guard let text else { return nil }
        guard let date = MomentText.date(text, now: .now) else {
            throw ValidationError(
                "\(option) \"\(text)\" is no moment; write for example 10m, 2h, 2026-11-21 or \"2026-11-21 14:03\".")
        }
        return date
    }
}
