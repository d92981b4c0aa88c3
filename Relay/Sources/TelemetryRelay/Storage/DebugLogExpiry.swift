import Logging
import ServiceLifecycle

/// Deletes what has become too old, also while nothing arrives, and logs what was deleted since it last did.
struct DebugLogExpiry: Service {
    let storage: any DebugLogStorage
    let metrics: RelayMetrics
    let logger: Logger
    var interval: Duration = .seconds(60)
    var clock: any Clock<Duration> = ContinuousClock()

    func run() async throws {
        var told = metrics.deleted
        while true {
            do {
                try await storage.expire()
            } catch {
                logger.error("what is too old could not be deleted", metadata: ["error": "\(error)"])
            }
            let deleted = metrics.deleted
            for (bound, count) in deleted.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where count > told[bound] ?? 0 {
                logger.info(
                    "entries deleted", metadata: ["bound": "\(bound.rawValue)", "count": "\(count - (told[bound] ?? 0))"])
            }
            told = deleted
            guard (try? await cancelWhenGracefulShutdown { try await clock.sleep(for: interval) }) != nil else { return }
        }
    }
}
