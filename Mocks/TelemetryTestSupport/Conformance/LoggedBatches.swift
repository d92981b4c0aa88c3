import Foundation
import Synchronization
import TelemetryLogging
import TelemetryModels
import TelemetryTransport

/// Keeps a logger's batches as the logger passes them on.
final class LoggedBatches: AppendOnlyTransport {
    private let received = Mutex<[TelemetryEventBatch]>([])

    /// The batches of a logger that these calls were made on.
    static func make(
        clientId: String, _ log: @Sendable (TelemetryLogger) -> Void
    ) async -> [TelemetryEventBatch] {
        let transport = LoggedBatches()
        let seconds = Mutex(0)
        let logger = TelemetryLogger(
            // Everything is delivered by the shutdown, in batches as large as they can be.
            configuration: .init(batchSize: 10_000, flushInterval: 86_400), transport: transport,
            now: {
                let second = seconds.withLock { seconds in
                    seconds += 1
                    return seconds
                }
                return TelemetryFixtures.date.addingTimeInterval(Double(second) / 7)
            })
        await logger.setClientIdentifier(clientId)
        await logger.updateScenarios(["one": .init(isEnabled: true, level: .diagnostic), "two": .init(isEnabled: true)])
        await logger.activate(enabled: true)
        log(logger)
        await logger.shutdown()
        return transport.received.withLock(\.self)
    }

    func append(_ batch: TelemetryEventBatch) async throws { received.withLock { $0.append(batch) } }

    func append(_ events: [TelemetryEvent]) async throws { received.withLock { $0.append(TelemetryEventBatch(events)) } }
}
