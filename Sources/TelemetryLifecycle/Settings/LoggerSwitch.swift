import TelemetryLogging
import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Controls the logger: its client, and whether it records.
///
/// Calls to the logger are serialized. A withdrawal of consent does not wait for earlier ones; these no longer turn the logger
/// on.
@MainActor
final class LoggerSwitch {
    let logger: any TelemetryLogging
    private let queue: SerialQueue
    /// Nil until the logger is activated; until then it buffers events.
    private var isOn: Bool?
    private var clientId: String?
    private var isPaused = false
    /// Whether a logger that cannot pause, and is off instead, is turned on after the pause.
    private var isOnAfterPause = false
    /// Whether `withdraw()` was called on the logger and it was not turned off since. It may still be ending an earlier
    /// withdrawal.
    private var hasWithdrawn = false
    /// The number of withdrawals of consent.
    private var withdrawals = 0
    /// The number of withdrawals that are not in the settings yet. Until they are, the settings must not turn the logger on.
    private var unsettled = 0
    /// Whether the service is being shut down, or was.
    private var isShutDown = false

    init(_ logger: any TelemetryLogging, executor: (any TaskExecutor)?) {
        self.logger = logger
        queue = SerialQueue(executor: executor)
    }

    /// Stops recording and starting deliveries. Returns at once.
    ///
    /// A logger that is not the library's is turned off asynchronously, ahead of every operation of the service. Call
    /// ``settle()`` once the settings record the withdrawal.
    func withdraw() {
        withdrawals += 1
        unsettled += 1
        if let logger = logger as? any TelemetryConsentFollowing {
            // Also while it is being turned off, because it may accept events until that begins.
            logger.withdraw()
            hasWithdrawn = true
        }
        queue.enqueue { await self.apply(on: false, clientId: nil) }
    }

    /// Makes the logger check the consent before each delivery, if it can.
    func follow(_ check: TelemetryConsentCheck) { (logger as? any TelemetryConsentFollowing)?.follow(check) }

    /// Limits how much each scenario records; false if the logger cannot.
    /// - Parameter onSuspension: Called when the scenarios whose budget is used up change, with the dates at which they record
    ///   again.
    func limit(
        to budget: ScenarioBudget, onSuspension: @escaping @Sendable (_ suspensions: [String: Date]) async -> Void
    ) -> Bool {
        guard let logger = logger as? any TelemetryBudgeting else { return false }
        logger.limit(to: budget, onSuspension: onSuspension)
        return true
    }

    /// Called once the settings record a withdrawal.
    func settle() { unsettled -= 1 }

    /// Turns recording on or off.
    func turn(on: Bool, clientId: String?) async {
        let isWanted = on && unsettled == 0
        let decided = withdrawals
        await queue.perform { await self.apply(on: isWanted, clientId: on && !isWanted ? nil : clientId, unlessAfter: decided) }
    }

    /// Pauses or resumes. A logger that cannot pause is turned off instead, which discards its waiting events.
    func setPaused(_ isPaused: Bool) async {
        await queue.perform {
            guard self.isPaused != isPaused else { return }
            self.isPaused = isPaused
            if let logger = self.logger as? any TelemetryPausing { return await logger.setPaused(isPaused) }
            if isPaused {
                self.isOnAfterPause = self.isOn == true
                if self.isOn == true { await self.switchOn(false) }
            } else if self.isOnAfterPause, self.unsettled == 0 {
                await self.switchOn(true)
            }
        }
    }

    private func switchOn(_ isOn: Bool) async {
        self.isOn = isOn
        await logger.setEnabled(isOn)
    }

    /// - Parameter decided: The number of withdrawals when turning the logger on was requested. A later withdrawal forbids it.
    private func apply(on isWanted: Bool, clientId: String?, unlessAfter decided: Int? = nil) async {
        func isAllowed() -> Bool { isWanted && decided == withdrawals }
        // Every recorded event needs its client's identifier; otherwise it could not be deleted with the client.
        if isAllowed() || isOn == nil { await identify(isWanted && !isAllowed() ? nil : clientId) }
        let isHeldBack = isPaused && !(logger is any TelemetryPausing)
        isOnAfterPause = isHeldBack && isAllowed()
        let on = isAllowed() && !isHeldBack
        if isOn != on || (hasWithdrawn && !on) {
            hasWithdrawn = false
            let isFirst = isOn == nil
            isOn = on
            if isFirst { await logger.activate(enabled: on) } else { await logger.setEnabled(on) }
        }
        if !on { await identify(isWanted ? nil : clientId) }
    }

    /// Logs the events that the flight recorder kept of a scenario.
    /// - Returns: The number of events; nil if the scenario is not recorded now.
    /// - Throws: ``CommandRefused`` if the logger has no flight recorder.
    func captureRecorded(_ scenario: String, lookback: Double?) async throws -> Int? {
        guard let logger = logger as? any TelemetryRecording else { throw CommandRefused.unsupported(.captureScenario) }
        return await queue.perform { await logger.captureRecorded(scenario, lookback: lookback) }
    }

    /// Discards the events that were not sent, by turning the logger off and on.
    func discardWaiting() async {
        let decided = withdrawals
        await queue.perform {
            guard self.isOn == true else { return }
            self.isOn = false
            await self.logger.setEnabled(false)
            guard decided == self.withdrawals else { return }
            self.isOn = true
            await self.logger.setEnabled(true)
        }
    }

    /// Discards the events that were not sent, and starts a new session.
    /// - Returns: The ended session, if the store may have events of it.
    func beginSession() async -> String? {
        await queue.perform {
            guard let logger = self.logger as? any TelemetrySessionRenewing else { return await self.restart() }
            return await logger.renewSession()
        }
    }

    /// Starts a new session of a logger that begins one only after a shutdown.
    /// - Returns: The ended session; nil if there was none, or if the logger did not begin another one.
    private func restart() async -> String? {
        guard let wasOn = isOn else { return nil }
        let ended = logger.currentSessionId
        let decided = withdrawals
        isOn = false
        // A shutdown alone would deliver the events that wait.
        await logger.setEnabled(false)
        guard !isShutDown else { return ended }
        await logger.shutdown()
        let isWanted = wasOn && decided == withdrawals
        isOn = isWanted
        await logger.activate(enabled: isWanted)
        return logger.currentSessionId == ended ? nil : ended
    }

    /// Called when the service begins its shutdown, which ends the logger's session as well.
    func beginShutdown() { isShutDown = true }

    /// Whether a delivery that was abandoned when the logger was turned off may still reach the store.
    var hasStragglers: Bool {
        get async { await (logger as? any TelemetryConsentFollowing)?.hasStragglers ?? false }
    }

    private func identify(_ clientId: String?) async {
        guard self.clientId != clientId else { return }
        self.clientId = clientId
        await logger.setClientIdentifier(clientId)
    }
}
