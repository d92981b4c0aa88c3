import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Follows the records of clients and scenarios.
struct WatchedRecords: Sendable {
    /// The interval at which a viewer without permission to subscribe reads the records.
    private static let interval = Duration.seconds(5)

    let transport: any TelemetryTransporting
    var clock: any Clock<Duration> = ContinuousClock()

    /// Passes all records to the handler, now and after each change, until the task is cancelled.
    ///
    /// A store that is unreachable for a while is reported as a problem; the next notification updates the records.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError`` for a store that cannot be read.
    func follow(
        _ handle: @Sendable ([TelemetryClientRecord], [TelemetryScenarioRecord]) -> Void, problem: @Sendable (String) -> Void
    ) async throws {
        do {
            try await transport.createClientRecordSubscription()
            try await transport.createScenarioSubscription()
        } catch let error as TelemetryTransportError where error.code == .unauthorized {
            // A token with the role reader cannot save subscriptions.
            return try await poll(handle, problem)
        }
        let notifications = transport.notifications()
        handle(try await transport.fetchTelemetryClients(), try await transport.fetchScenarios())
        for await _ in notifications {
            do {
                handle(try await transport.fetchTelemetryClients(), try await transport.fetchScenarios())
            } catch let error as TelemetryTransportError where error.isRetryable { problem(error.message) }
        }
    }

    private func poll(
        _ handle: ([TelemetryClientRecord], [TelemetryScenarioRecord]) -> Void, _ problem: (String) -> Void
    ) async throws {
        while !Task.isCancelled {
            do {
                handle(try await transport.fetchTelemetryClients(), try await transport.fetchScenarios())
            } catch let error as TelemetryTransportError where error.isRetryable { problem(error.message) }
            try await clock.sleep(for: Self.interval)
        }
    }
}
