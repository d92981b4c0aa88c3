#if DEBUG
import Foundation
public import TelemetryModels

/// Passes entries as telemetry events to a closure that stores them, usually a transport's `append`.
public struct DebugLogEventShipper: DebugLogShipping {
    private let sessionId: String?
    private let clientId: String?
    private let scenario: String?
    private let sink: @Sendable ([TelemetryEvent]) async throws -> Void

    /// - Parameters:
    ///   - sessionId: the session of the events; nil for each entry's own.
    ///   - clientId: the client of the events.
    ///   - scenario: the scenario of the events.
    ///   - sink: stores events; if it throws, the same events are passed again later.
    public init(
        sessionId: String? = nil, clientId: String? = nil, scenario: String? = nil,
        sink: @escaping @Sendable ([TelemetryEvent]) async throws -> Void
    ) {
        self.sessionId = sessionId
        self.clientId = clientId
        self.scenario = scenario
        self.sink = sink
    }

    public func ship(_ entries: [DebugLogEntry]) async -> DebugLogShipment {
        do {
            try await sink(entries.map { $0.telemetryEvent(sessionId: sessionId, clientId: clientId, scenario: scenario) })
            return .stored
        } catch {
            return .failed(String(describing: error))
        }
    }
}
#endif
