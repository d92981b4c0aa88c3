import Logging
import Synchronization
import TelemetryLogging
import TelemetryModels
import TelemetrySwiftLog
import TelemetryTransport

/// A logger whose events a test reads, and the swift-log loggers that write to it.
struct RecordedLog {
    static let label = "shop.payments"

    private let transport = InMemoryTelemetryTransport()
    let telemetry: TelemetryLogger

    init(_ scenarios: [String: TelemetryScenarioState] = [Self.label: .init(isEnabled: true)]) async {
        telemetry = TelemetryLogger(transport: transport)
        await telemetry.activate(enabled: true)
        await telemetry.updateScenarios(scenarios)
    }

    func set(_ state: TelemetryScenarioState?) async {
        await telemetry.updateScenarios(state.map { [Self.label: $0] } ?? [:])
    }

    func handler(scenario: String? = nil, provider: Logger.MetadataProvider? = nil) -> TelemetryLogHandler {
        TelemetryLogHandler(label: Self.label, logger: telemetry, scenario: scenario, metadataProvider: provider)
    }

    func logger(provider: Logger.MetadataProvider? = nil) -> Logger {
        let handler = handler(provider: provider)
        return Logger(label: Self.label) { _ in handler }
    }

    /// The events so far.
    func events() async throws -> [TelemetryEvent] {
        await telemetry.flush()
        return try await transport.fetchAllEvents()
    }

    /// The attributes of the only event without those that every event has.
    func metadata() async throws -> [String: TelemetryValue] {
        let events = try await events()
        guard events.count == 1 else { throw Unexpected(count: events.count) }
        return events[0].attributes.filter { !["source", "file", "line", "function", "level"].contains($0.key) }
    }

    struct Unexpected: Error { let count: Int }
}

/// Counts evaluations of arguments.
final class Evaluations: Sendable {
    private let counter = Atomic(0)

    var count: Int { counter.load(ordering: .relaxed) }

    func note<Value>(_ value: Value) -> Value {
        counter.add(1, ordering: .relaxed)
        return value
    }
}
