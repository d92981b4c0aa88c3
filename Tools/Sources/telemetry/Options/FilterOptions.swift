import ArgumentParser
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
    @Option(help: "Only those of this client, or of the one whose identifier begins so.")
    var client: String?

    @Option(help: "Only those of this scenario; may be repeated.")
    var scenario: [String] = []

    @Option(help: "Only those of this level; may be repeated.")
    var level: [LevelArgument] = []

    func resolved(over transport: any TelemetryRecordTransport) async throws -> TelemetryEventFilter {
        var filter = TelemetryEventFilter.all
        if let client { filter.clientId = try await ClientResolver(transport: transport).client(client).clientId }
        if !scenario.isEmpty { filter.scenarios = Set(scenario) }
        if !level.isEmpty { filter.levels = Set(level.map(\.level)) }
        return filter
    }
}
