import TelemetryLogging

/// Controls the logger: whose events it takes, and whether it records any.
///
/// Calls to the logger follow one another. A withdrawal of consent does not wait for those that were asked for before it: they
/// do not turn the logger on any more.
@MainActor
final class LoggerSwitch {
    let logger: any TelemetryLogging
    private let queue: SerialQueue
    /// Nil until the logger was activated: until then it holds what is logged.
    private var isOn: Bool?
    private var clientId: String?
    private var isPaused = false
    /// Whether a logger that cannot pause, and is off meanwhile, is turned on after the pause.
    private var isOnAfterPause = false
    /// The logger has withdrawn, and was not turned off since: it may be about to end an earlier withdrawal.
    private var hasWithdrawn = false
    /// How many times consent was withdrawn.
    private var withdrawals = 0
    /// Withdrawals that the settings do not show yet: until they do, whoever goes by them must not turn the logger on.
    private var unsettled = 0

    init(_ logger: any TelemetryLogging, executor: (any TaskExecutor)?) {
        self.logger = logger
        queue = SerialQueue(executor: executor)
    }

    /// Nothing is recorded and no delivery begins from now on; returns at once.
    ///
    /// A logger that is not the library's is turned off in its own time, ahead of every operation of the service.
    /// ``settle()`` must follow once the settings say the same.
    func withdraw() {
        withdrawals += 1
        unsettled += 1
        if let logger = logger as? any TelemetryConsentFollowing {
            // Also where it is being turned off: it may accept events until that has begun.
            logger.withdraw()
            hasWithdrawn = true
        }
        queue.enqueue { await self.apply(on: false, clientId: nil) }
    }

    /// From now on a logger that can checks before each delivery.
    func follow(_ check: TelemetryConsentCheck) { (logger as? any TelemetryConsentFollowing)?.follow(check) }

    /// The settings show the withdrawal.
    func settle() { unsettled -= 1 }

    /// Begins to record, or to refuse, or changes from one to the other.
    func turn(on: Bool, clientId: String?) async {
        let isWanted = on && unsettled == 0
        let decided = withdrawals
        await queue.perform { await self.apply(on: isWanted, clientId: on && !isWanted ? nil : clientId, unlessAfter: decided) }
    }

    /// Pauses, or goes on as before. A logger that is not the library's, and cannot keep what waits, is turned off meanwhile.
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

    /// - Parameter decided: The number of withdrawals when the logger was to be turned on; one more forbids it.
    private func apply(on isWanted: Bool, clientId: String?, unlessAfter decided: Int? = nil) async {
        func isAllowed() -> Bool { isWanted && decided == withdrawals }
        // Whatever is recorded bears the identifier of its client, or could never be deleted with it.
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

    /// Forgets what was recorded and not sent: that is what being turned off means to a logger.
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

    /// Forgets what was recorded and not sent; a logger that can begins another session.
    /// - Returns: the session that ended, where the store may have events of it.
    func beginSession() async -> String? {
        guard let logger = logger as? any TelemetrySessionRenewing else {
            await discardWaiting()
            return nil
        }
        return await queue.perform { await logger.renewSession() }
    }

    /// Whether something that was given up when the logger was turned off may still reach the store.
    var hasStragglers: Bool {
        get async { await (logger as? any TelemetryConsentFollowing)?.hasStragglers ?? false }
    }

    private func identify(_ clientId: String?) async {
        guard self.clientId != clientId else { return }
        self.clientId = clientId
        await logger.setClientIdentifier(clientId)
    }
}
