#if DEBUG
import Foundation
public import TelemetryModels

/// Hands entries on as events of the telemetry, to whatever takes those: usually a transport's `append`.
public struct DebugLogEventShipper: DebugLogShipping {
    private let sessionId: String?
    private let clientId: String?
    private let scenario: String?
    private let sink: @Sendable ([TelemetryEvent]) async throws -> Void

    /// - Parameters:
    ///   - sessionId: the session that the events shall stand in; each entry's own where it is nil.
    ///   - clientId: the client that the events shall belong to.
    ///   - scenario: the scenario that the events shall belong to.
    ///   - sink: stores events; where it throws, the same events come again later.
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
