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
    let logger: any ControlledLogger
    private let queue: SerialQueue
    /// Nil until the logger is activated; until then it buffers events.
    private var isOn: Bool?
    private var clientId: String?
    private var isPaused = false
    /// Whether `withdraw()` was called on the logger and it was not turned off since. It may still be ending an earlier
    /// withdrawal.
    private var hasWithdrawn = false
    /// The number of withdrawals of consent.
    private var withdrawals = 0
    /// The number of withdrawals that are not in the settings yet. Until they are, the settings must not turn the logger on.
    private var unsettled = 0

    init(_ logger: any ControlledLogger, executor: (any TaskExecutor)?) {
        self.logger = logger
        queue = SerialQueue(executor: executor)
    }

    /// Stops recording and starting deliveries. Returns at once.
    ///
    /// The logger is turned off asynchronously, ahead of every operation of the service. Call ``settle()`` once the settings record
    /// the withdrawal.
    func withdraw() {
        withdrawals += 1
        unsettled += 1
        // Also while it is being turned off, because it may accept events until that begins.
        logger.withdraw()
        hasWithdrawn = true
        queue.enqueue { await self.apply(on: false, clientId: nil) }
    }

    /// Called once the settings record a withdrawal.
    func settle() { unsettled -= 1 }

    /// Turns recording on or off.
    func turn(on: Bool, clientId: String?) async {
        let isWanted = on && unsettled == 0
        let decided = withdrawals
        await queue.perform { await self.apply(on: isWanted, clientId: on && !isWanted ? nil : clientId, unlessAfter: decided) }
    }

    func setPaused(_ isPaused: Bool) async {
        await queue.perform {
            guard self.isPaused != isPaused else { return }
            self.isPaused = isPaused
            await self.logger.setPaused(isPaused)
        }
    }

    /// - Parameter decided: The number of withdrawals when turning the logger on was requested. A later withdrawal forbids it.
    private func apply(on isWanted: Bool, clientId: String?, unlessAfter decided: Int? = nil) async {
        func isAllowed() -> Bool { isWanted && decided == withdrawals }
        // Every recorded event needs its client's identifier; otherwise it could not be deleted with the client.
        if isAllowed() || isOn == nil { await identify(isWanted && !isAllowed() ? nil : clientId) }
        let on = isAllowed()
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
    func dumpRecorded(_ scenario: String, lookback: Double?) async throws -> Int? {
        guard logger.hasRecorder else { throw CommandRefused.unsupported(.captureScenario) }
        return await queue.perform { await self.logger.dumpRecorded(scenario, lookback: lookback) }
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
    func beginSession() async -> String? { await queue.perform { await self.logger.renewSession() } }

    private func identify(_ clientId: String?) async {
        guard self.clientId != clientId else { return }
        self.clientId = clientId
        await logger.setClientIdentifier(clientId)
    }
}
