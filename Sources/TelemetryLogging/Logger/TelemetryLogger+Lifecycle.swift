import Synchronization
public import TelemetryModels

/// Operations are serialized: of two that overlap, the last call takes effect.
extension TelemetryLogger {
    /// Sets the client identifier of all events from now on, and of held events without one.
    ///
    /// Held events get the identifier because otherwise they could not be deleted with the client's other events.
    public func setClientIdentifier(_ clientId: String?) async {
        await inTurn {
            let isActivated = phase != .holding && phase != .refusing
            let previous = capture.withState { state in
                defer { state.setClientId(clientId, isActivated: isActivated) }
                return state.clientId
            }
            guard phase == .on, clientId != previous else { return }
            if previous == nil {
                adoptOrphans()
                reportDropsOfOrphans()
            } else {
                emptyRecorder()
            }
            updateRecorder()
        }
    }

    /// Replaces the set of known and enabled scenarios. In effect on every thread when the call returns.
    public func updateScenarioStates(_ states: [String: Bool]) {
        gate.update(states.mapValues { TelemetryScenarioState(isEnabled: $0) })
    }

    /// Replaces the states of all scenarios: whether they are on, at which level, until when. In effect on every thread when the
    /// call returns. A scenario with an end is off from that date on, by the clock of event timestamps.
    public func updateScenarios(_ states: [String: TelemetryScenarioState]) async { gate.update(states) }

    /// Starts delivery of held and new events, or discards held events and records none.
    ///
    /// After ``shutdown()`` it begins a new session. On an active logger it is the same as ``setEnabled(_:)``.
    public func activate(enabled: Bool) async {
        await inTurn {
            switch phase {
            case .shutDown:
                // Without an earlier pump the logger was never activated, so that the waiting events were held.
                if pumpCount == 0 { capture.withState { $0.stampHeld() } }
                capture.withState { $0.beginSession() }
            case .holding: capture.withState { $0.stampHeld() }
            case .refusing, .on, .off: break
            }
            if !enabled { endWithdrawal() }
            await perform(phase.activate(enabled: enabled))
        }
    }

    /// Turns recording on or off; off discards and counts the events that were not sent.
    ///
    /// An append in progress is cancelled and awaited, at most for `Configuration.shutdownDeadline`; none starts afterwards.
    /// Cancelling the calling task does not shorten the wait.
    /// Before activation, off discards held events and refuses new ones. After ``shutdown()`` events are refused until
    /// ``activate(enabled:)``: off has no effect, and on only reports a diagnostic.
    public func setEnabled(_ enabled: Bool) async {
        await inTurn {
            if !enabled { endWithdrawal() }
            if enabled, phase == .shutDown {
                report(.unexpectedInput, "setEnabled(true) has no effect after shutdown(); call activate(enabled:) instead.")
            }
            await perform(phase.setEnabled(enabled))
        }
    }

    /// Refuses events from now on and delivers waiting ones, at most for `Configuration.shutdownDeadline`.
    ///
    /// Events that could not be delivered stay in the spool, if there is one, and count as waiting. Cancelling the calling task
    /// does not shorten the delivery.
    public func shutdown() async {
        await inTurn {
            let wasOn = phase == .on
            phase = .shutDown
            reportSuppressed()
            close()
            if wasOn {
                await stopPump(isFinishing: true)
                capture.withState { $0.detach() }
                leaveRecorder()
            }
            await stopSuspensionTask()
            gate.budgets.clear()
        }
    }

    func perform(_ effect: LoggerPhase.Effect) async {
        switch effect {
        case .nothing: break
        case .hold: open()
        case .run where isPaused:
            close()
            // Held events must not be recorded.
            capture.withState { $0.discardAll() }
            updateRecorder()
        case .run: run()
        case .discard:
            close()
            emptyRecorder()
            await stopPump(isFinishing: false)
            await stopSuspensionTask()
            gate.budgets.discardSuppressed()
            capture.withState { $0.discardAll() }
            if let directory = configuration.spoolDirectory { Spool.purge(directory) }
        }
    }

    func run() {
        openSpool()
        updateRecorder()
        open()
        capture.recordBudgetReports()
        reportDropsOfOrphans()
        startPump()
        startSuspensionTask()
    }

    /// Called when recording is turned off, before it can be turned on again.
    private func endWithdrawal() { isWithdrawn.store(false, ordering: .sequentiallyConsistent) }

    private func open() {
        if isWithdrawn.load(ordering: .sequentiallyConsistent) { return }
        capture.withState { $0.isAccepting = true }
        gate.setOpen(true)
        // A withdrawal meanwhile may have closed the gate before it was opened here.
        if isWithdrawn.load(ordering: .sequentiallyConsistent) { close() }
    }

    nonisolated func close() {
        gate.setOpen(false)
        capture.withState { $0.isAccepting = false }
    }

    func inTurn(_ operation: () async -> Void) async {
        if !operations.begin() { await withCheckedContinuation { operations.wait($0) } }
        await operation()
        operations.end()
    }
}

extension CaptureState {
    mutating func setClientId(_ clientId: String?, isActivated: Bool) {
        guard clientId != self.clientId else { return }
        self.clientId = clientId
        clientChanges += 1
        clientVersion = clientChanges
        if clientId == nil, !isActivated {
            // The next client is unknown: a segment without a definition gets its client at activation.
            if active != nil { seal() }
            clientVersion = 0
        }
    }

    /// Sets the client of events that were held before it was known; their frames contain no definition.
    mutating func stampHeld() {
        for index in sealed.indices where sealed[index].clientAtConsumed == nil { sealed[index].clientAtConsumed = clientId }
        let clientId = clientId
        changeActive { segment, _ in segment.clientAtConsumed = segment.clientAtConsumed ?? clientId }
    }

    mutating func beginSession() {
        if active != nil { seal() }
        session = Session(id: EventIdentifier.randomPrefix())
        nextSequence = 1
        highestOffered = 0
        reportedDrops = ReportedDrops()
    }
}
