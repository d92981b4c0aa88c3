import Foundation
import Logging
import ServiceLifecycle
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// Evaluates alerts while the relay runs: for the events that arrive, and for the clients that are not seen.
struct AlertService: Service {
    let storage: any RelayStorage
    let clients: KnownClients
    let messages: AlertMessages
    let silences: SilenceWatch
    let logger: Logger
    var clock: any Clock<Duration> = ContinuousClock()
    var now: @Sendable () -> Date = { Date() }

    func run() async {
        var configuration = RelayStorageConfiguration()
        (configuration.logger, configuration.clock) = (logger, clock)
        let steps = StorageSteps(
            configuration: configuration,
            frequent: [.init(failure: "silent clients cannot be found") { try await checkSilences() }],
            background: [
                .init(failure: "alerts cannot be evaluated") { try await cancelWhenGracefulShutdown { try await evaluate() } }
            ],
            maintenance: [])
        await steps.run()
        // Otherwise other relays do not know whom this one saw.
        await steps.attempt(.init(failure: "who was seen cannot be stored") { try await checkSilences(isLast: true) })
    }

    /// Evaluates all alerts for all events that were not evaluated. What arrives meanwhile waits for the next time: evaluated a few at a
    /// time, events would cost more.
    func evaluate() async throws {
        while try await evaluateNext() { try Task.checkCancellation() }
    }

    /// - Returns: whether more events may have to be evaluated.
    private func evaluateNext() async throws -> Bool {
        let list = try await storage.alerts.all()
        guard !list.alerts.isEmpty else { return false }
        var watched: [RelayWatchedAlert] = []
        for alert in list.alerts where alert.isEnabled {
            guard let condition = alert.events else { continue }
            let visibility = try await Visibility(of: .owner(of: alert), clients)
            let filter = visibility.narrow(RelayEventFilter(query: condition.query))
            watched.append(RelayWatchedAlert(alert: alert, condition: condition, filter: filter))
        }
        guard let evaluation = try await storage.alerts.evaluate(watched, of: list.revision, now: now()) else { return false }
        let found = evaluation.firings.map { messages.message(for: $0, at: now()) }
        // Otherwise an alert was saved, or another relay was first.
        guard let unsent = try await storage.alerts.commit(evaluation, found) else { return true }
        log(unsent)
        if evaluation.unreadable > 0 {
            logger.error(
                "alerts cannot be evaluated for blocks that cannot be read", metadata: ["blocks": "\(evaluation.unreadable)"])
        }
        return evaluation.hasMore
    }

    /// Finds clients that were not seen.
    func checkSilences(isLast: Bool = false) async throws {
        log(try await silences.check(isLast: isLast) { [messages, now] in messages.message(for: $0, at: now()) })
    }

    private func log(_ unsent: [RelayUnsentFiring]) {
        // Hosts cause them, as often as they like.
        guard let first = unsent.first else { return }
        logger.error(
            "alerts fired, but are not sent",
            metadata: ["count": "\(unsent.count)", "first": "\(first.alert)", "error": "\(first.reason)"])
    }
}

extension RelayCaller {
    /// Who sees what an alert may find.
    static func owner(of alert: RelayAlert) -> RelayCaller {
        RelayCaller(credential: .none, tokenName: alert.owner, role: .viewer, scope: alert.scope)
    }
}
