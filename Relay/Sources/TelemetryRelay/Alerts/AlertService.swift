import Foundation
import Logging
import ServiceLifecycle
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// Evaluates alerts for the events that arrive, while the relay runs.
struct AlertService: Service {
    let storage: any RelayStorage
    let apps: ClientApps
    let messages: AlertMessages
    let logger: Logger
    var clock: any Clock<Duration> = ContinuousClock()
    var now: @Sendable () -> Date = { Date() }

    func run() async {
        var configuration = RelayStorageConfiguration()
        (configuration.logger, configuration.clock) = (logger, clock)
        await StorageSteps(
            configuration: configuration,
            frequent: [
                .init(failure: "alerts cannot be evaluated") { try await cancelWhenGracefulShutdown { try await evaluate() } }
            ],
            maintenance: []
        ).run()
    }

    /// Evaluates all alerts for all events that were not evaluated.
    func evaluate() async throws {
        let alerts = try await storage.alerts.all()
        guard !alerts.isEmpty else { return }
        var watched: [RelayWatchedAlert] = []
        for alert in alerts where alert.isEnabled {
            let visibility = try await Visibility(of: .owner(of: alert), apps)
            watched.append(RelayWatchedAlert(alert: alert, filter: visibility.narrow(RelayEventFilter(query: alert.query))))
        }
        while let evaluation = try await storage.alerts.evaluate(watched, now: now()) {
            let found = try evaluation.firings.map { try messages.message(for: $0, at: now()) }
            for unsent in try await storage.alerts.commit(evaluation, found) {
                logger.error(
                    "an alert fired, but is not sent", metadata: ["alert": "\(unsent.alert)", "error": "\(unsent.reason)"])
            }
            try Task.checkCancellation()
        }
    }
}

extension RelayCaller {
    /// Who sees what an alert may find.
    fileprivate static func owner(of alert: RelayAlert) -> RelayCaller {
        RelayCaller(credential: .none, tokenName: alert.owner, role: .viewer, scope: alert.scope)
    }
}
