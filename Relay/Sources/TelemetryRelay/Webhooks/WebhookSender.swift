import Foundation
import Logging
import ServiceLifecycle

/// Sends deliveries to their webhooks: those of one webhook in order, each until a response says that it was accepted.
final class WebhookSender: Sendable {
    /// Sends a request. Returns the status of the response.
    typealias Send = @Sendable (WebhookRequest) async throws -> Int

    private static let interval: Duration = .seconds(1)

    private let storage: any RelayWebhookStorage
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date
    private let metrics: RelayMetrics
    private let logger: Logger
    private let send: Send

    /// - Parameter now: the wall clock, for the time in a request.
    init(
        storage: any RelayWebhookStorage, metrics: RelayMetrics, clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Date = { Date() }, logger: Logger, send: @escaping Send
    ) {
        (self.storage, self.clock, self.now, self.metrics) = (storage, clock, now, metrics)
        (self.logger, self.send) = (logger, send)
    }

    /// Sends what is due now and every second, until the task is cancelled or a graceful shutdown begins. An attempt that this ends is repeated
    /// later.
    func run() async {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                repeat {
                    // A receiver that does not answer must not delay those of others.
                    group.addTask { [self] in await sendDue() }
                } while (try? await clock.sleep(for: Self.interval)) != nil
                group.cancelAll()
            }
        }
    }

    /// Sends the first delivery of each webhook if it is due, and then those behind it until one fails. Calls may overlap.
    func sendDue() async {
        await withDiscardingTaskGroup { group in
            for first in await take() {
                group.addTask { [self] in
                    var next: RelayDelivery? = first
                    while let delivery = next, await attempt(delivery) { next = await take(of: delivery.webhook.number).first }
                }
            }
        }
    }

    private func take(of webhook: Int64? = nil) async -> [RelayDelivery] {
        do {
            return try await storage.take(of: webhook)
        } catch {
            // The storage's own work fails for the same reason, and logs it once.
            logger.debug("deliveries cannot be read", metadata: ["error": "\(error)"])
            return []
        }
    }

    /// - Returns: whether the delivery is no longer stored.
    private func attempt(_ delivery: RelayDelivery) async -> Bool {
        let failure = await failure(of: delivery)
        do {
            guard let failure else {
                try await storage.complete(delivery)
                metrics.countDelivery(.delivered)
                return true
            }
            guard !Task.isCancelled else {
                try await storage.postpone(delivery, by: 0, failure: "the relay ended during the attempt")
                return false
            }
            metrics.countDelivery(.failed)
            guard delivery.age < WebhookStore.maximumAge else {
                try await storage.complete(delivery)
                metrics.countDelivery(.abandoned)
                log(delivery, failure, "a delivery is given up after a day")
                return true
            }
            if delivery.attempts == 1 { log(delivery, failure, "a delivery failed; it is repeated for a day") }
            try await storage.postpone(delivery, by: Self.delay(after: delivery.attempts), failure: failure)
        } catch {
            // It is taken again when its lease ends.
            log(delivery, "\(error)", "the result of a delivery cannot be stored")
        }
        return false
    }

    /// - Returns: why a delivery was not accepted; nil if it was.
    private func failure(of delivery: RelayDelivery) async -> String? {
        do {
            let status = try await send(WebhookRequest(delivery, at: now()))
            return (200..<300).contains(status) ? nil : "status \(status)"
        } catch {
            return "\(error)"
        }
    }

    /// In seconds: 5, 10, 20 and so on, at most an hour.
    static func delay(after attempts: Int) -> TimeInterval { min(3_600, 5 * pow(2, Double(min(attempts, 20) - 1))) }

    private func log(_ delivery: RelayDelivery, _ failure: String, _ message: Logger.Message) {
        logger.warning(
            message,
            metadata: [
                "webhook": "\(delivery.webhook.name)", "message": "\(delivery.message)", "error": "\(failure)",
            ])
    }
}
