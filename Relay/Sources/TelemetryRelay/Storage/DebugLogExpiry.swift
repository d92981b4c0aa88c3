import Logging
import ServiceLifecycle

/// Periodically deletes expired entries, and logs the number deleted since the last time.
struct DebugLogExpiry: Service {
    let storage: any DebugLogStorage
    let metrics: RelayMetrics
    let logger: Logger
    var interval: Duration = .seconds(60)
    var clock: any Clock<Duration> = ContinuousClock()

    func run() async throws {
        var reported = metrics.deleted
        while true {
            do {
                try await storage.expire()
            } catch {
                logger.error("expired entries could not be deleted", metadata: ["error": "\(error)"])
            }
            let deleted = metrics.deleted
            for (bound, count) in deleted.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where count > reported[bound] ?? 0 {
                logger.info(
                    "entries deleted", metadata: ["bound": "\(bound.rawValue)", "count": "\(count - (reported[bound] ?? 0))"])
            }
            reported = deleted
            guard (try? await cancelWhenGracefulShutdown { try await clock.sleep(for: interval) }) != nil else { return }
        }
    }
}
