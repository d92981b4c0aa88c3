import Synchronization
public import TelemetryModels

/// Operations follow one another: of two that overlap, the one called last decides.
extension TelemetryLogger {
    /// Stamps every event from now on, and those held before activation that bear none.
    ///
    /// Held events get the identifier because one without could never be deleted with its client's.
    public func setClientIdentifier(_ clientId: String?) async {
        await inTurn {
            let isActivated = phase != .holding && phase != .refusing
            let wasKnown = capture.withState { state in
                defer { state.setClientId(clientId, isActivated: isActivated) }
                return state.clientId != nil
            }
            if !wasKnown, clientId != nil, phase == .on {
                adoptOrphans()
                reportDropsOfOrphans()
            }
        }
    }

    /// Replaces the set of scenarios that are known and on. Seen by every thread when the call returns.
    public func updateScenarioStates(_ states: [String: Bool]) {
        gate.update(states.mapValues { TelemetryScenarioState(isEnabled: $0) })
    }

    /// Replaces what is known of all scenarios: whether they are on, at which level, until when. Seen by every thread when the call
    /// returns. A scenario with an end is off from then on, by the clock of the dates that events bear.
    public func updateScenarios(_ states: [String: TelemetryScenarioState]) async { gate.update(states) }

    /// Begins to deliver, keeping what was held; or discards what was held, and records nothing.
    ///
    /// After ``shutdown()`` it begins a new session. While active it does what ``setEnabled(_:)`` does.
    public func activate(enabled: Bool) async {
        await inTurn {
            switch phase {
            case .shutDown:
                // Without a pump so far nothing was activated: what waits was held.
                if pumpCount == 0 { capture.withState { $0.stampHeld() } }
                capture.withState { $0.beginSession() }
            case .holding: capture.withState { $0.stampHeld() }
            case .refusing, .on, .off: break
            }
            if !enabled { endWithdrawal() }
            await perform(phase.activate(enabled: enabled))
        }
    }

    /// Turns recording on or off; off discards what was not sent, counted.
    ///
    /// An append under way is cancelled and waited for, at most for `Configuration.shutdownDeadline`; none starts afterwards.
    /// Cancelling the calling task does not shorten that.
    /// Before activation, off discards what is held and refuses more; after ``shutdown()`` it has no effect.
    public func setEnabled(_ enabled: Bool) async {
        await inTurn {
            if !enabled { endWithdrawal() }
            await perform(phase.setEnabled(enabled))
        }
    }

    /// Refuses events from now on and delivers what waits, at most for `Configuration.shutdownDeadline`.
    ///
    /// What could not be delivered stays in the spool, if there is one, and counts as waiting. Cancelling the calling task does
    /// not cut it short.
    public func shutdown() async {
        await inTurn {
            let wasOn = phase == .on
            phase = .shutDown
            close()
            if wasOn {
                await stopPump(isFinishing: true)
                capture.withState { $0.detach() }
            }
        }
    }

    func perform(_ effect: LoggerPhase.Effect) async {
        switch effect {
        case .nothing: break
        case .hold: open()
        case .run where isPaused:
            close()
            // Held until now, and not to be recorded.
            capture.withState { $0.discardAll() }
        case .run: run()
        case .discard:
            close()
            await stopPump(isFinishing: false)
            capture.withState { $0.discardAll() }
            if let directory = configuration.spoolDirectory { Spool.purge(directory) }
        }
    }

    func run() {
        openSpool()
        open()
        reportDropsOfOrphans()
        startPump()
    }

    /// Recording is turned off in this step, before anything else can turn it on.
    private func endWithdrawal() { isWithdrawn.store(false, ordering: .sequentiallyConsistent) }

    private func open() {
        if isWithdrawn.load(ordering: .sequentiallyConsistent) { return }
        capture.withState { $0.isAccepting = true }
        gate.setOpen(true)
        // Withdrawn meanwhile, and closed before it was opened.
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
            // Who comes next is not known yet: a segment that says nothing of a client is stamped at activation.
            if active != nil { seal() }
            clientVersion = 0
        }
    }

    /// Gives the client's identifier to events that were held before it was known: their frames say nothing of a client.
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
        leftInSpool = 0
        reportedDrops = ReportedDrops()
    }
}
