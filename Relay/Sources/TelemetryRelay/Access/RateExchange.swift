import Logging
import ServiceLifecycle

/// Exchanges the use of rate limits with the other relays of a store, twice a second.
struct RateExchange: Service {
    let storage: any RelayRateStorage
    let limiters: [RelayRateSource.Kind: RateLimiter<RelayRateSource>]
    let logger: Logger
    var interval: Duration = .milliseconds(500)
    var clock: any Clock<Duration> = ContinuousClock()

    func run() async throws {
        while (try? await cancelWhenGracefulShutdown { try await clock.sleep(for: interval) }) != nil {
            await exchange()
        }
    }

    /// Exchanges once. After a failure, the use that could not be sent is not sent again.
    func exchange() async {
        var use: [RelayRateSource: Double] = [:]
        for limiter in limiters.values { use.merge(limiter.takeUse()) { $0 + $1 } }
        do {
            let others = try await storage.exchangeUse(use)
            for (kind, limiter) in limiters { limiter.charge(others.filter { $0.key.kind == kind }) }
        } catch {
            logger.error("the use of rate limits cannot be exchanged", metadata: ["error": "\(error)"])
        }
    }
}
