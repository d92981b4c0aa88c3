import Foundation
import TelemetryModels

/// Sending what the flight recorder kept.
extension LifecycleEngine {
    /// Sends the last events of a scenario.
    /// - Parameter lookback: The greatest age of the events, in seconds; nil for all.
    /// - Returns: The number of events, as text for the viewer.
    func viewerDumped(_ name: String, lookback: TimeInterval?, of clientId: String) async throws -> String {
        try require(clientId)
        guard settings.telemetrySendingEnabled else {
            throw CommandRefused(reason: "The client is not approved, so that it keeps no events.")
        }
        guard scenarios.pause.isEmpty else {
            throw CommandRefused(reason: "Telemetry is paused on this client, so that it cannot send events.")
        }
        guard let count = try await logger.dumpRecorded(name, lookback: lookback) else {
            throw CommandRefused(reason: "The scenario \"\(name)\" is not recorded on this client now.")
        }
        return count == 1 ? "captured 1 event" : "captured \(count) events"
    }
}
