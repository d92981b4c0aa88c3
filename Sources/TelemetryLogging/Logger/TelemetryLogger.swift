public import Foundation
import Synchronization
public import TelemetryModels
public import TelemetryTransport

/// Records events on any thread at low cost, and delivers them in batches to a transport.
///
/// An event passes a gate that is read without a lock, and is copied to a bounded buffer. It is removed when the transport has
/// confirmed that it is stored. Events are numbered per session from 1; their identifiers consist of the session's identifier and
/// that number, so that an event may be sent twice, and a viewer detects lost events by missing numbers. Losses are counted by
/// cause in ``statistics`` and reported in the stream by an event named `telemetry.dropped`.
///
/// An event that is lost after it got its number leaves a gap. A refused or oversized event gets no number. When telemetry is
/// turned off, the numbers of discarded events are used again, unless the transport may have received the events.
///
/// The logger's task runs while telemetry is on. It does not keep the logger alive; call ``shutdown()`` to deliver waiting events.
public actor TelemetryLogger: TelemetryLogging, ControlledLogger {
    @usableFromInline nonisolated let gate: ScenarioGate
    @usableFromInline nonisolated let capture: EventCapture

    private nonisolated let acceptance: EventAcceptance
    private nonisolated let counter: DeliveryCounter
    /// Called when the suspended scenarios change; nil if the logger has no budget.
    private nonisolated let onSuspension = Mutex<(@Sendable ([String: Date]) async -> Void)?>(nil)
    private let configuration: Configuration
    private let bootTime: @Sendable () -> BootTime
    private let triggers: TriggerWatch
    private let delivery: EventDelivery
    private var rings: RingKeeper
    private var sessions: SessionKeeper
    private nonisolated let shownSessions: SessionStatus
    private let suspensions: SuspensionWatch
    private var phase = LoggerPhase.holding
    /// Whether recording and delivery are paused.
    private var isPaused = false
    private var operations = SerialOperations()

    /// Creates a logger that holds events until it is activated. It starts no task and opens no file before, unless it needs a pseudonym.
    /// - Parameters:
    ///   - configuration: The settings for batches, retries and waiting events.
    ///   - transport: The transport that receives the events.
    ///   - clock: The clock for intervals and waits.
    ///   - now: Returns the time for event timestamps and ends of scenarios; nil uses the system's wall clock.
    ///   - jitter: Returns a random number from 0 to below 1; called for each retry.
    public init(
        configuration: Configuration = .default, transport: any TelemetryEventTransport,
        clock: any Clock<Duration> = ContinuousClock(), now: (@Sendable () -> Date)? = nil,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        let configuration = configuration.clamped
        let time = MonotonicTime(clock: clock)
        let bootTime = BootTime.clock(time)
        let gate = ScenarioGate(isOpen: true) { now?().timeIntervalSinceReferenceDate ?? WallClock.secondsSinceReference }
        let capture = EventCapture(configuration: configuration, budgets: gate.budgets, now: now, bootTime: bootTime)
        self.configuration = configuration
        self.bootTime = bootTime
        self.gate = gate
        self.capture = capture
        acceptance = EventAcceptance(gate: gate, capture: capture)
        counter = DeliveryCounter(calendar: configuration.calendar) {
            Date(timeIntervalSinceReferenceDate: capture.secondsSinceReference)
        }
        triggers = TriggerWatch(capture: capture, clock: clock, diagnostics: configuration.diagnostics)
        delivery = EventDelivery(
            configuration: configuration, transport: transport, capture: capture, triggers: triggers, acceptance: acceptance,
            counter: counter, time: time, bootTime: bootTime, jitter: jitter)
        rings = RingKeeper(configuration: configuration, gate: gate, capture: capture, bootTime: bootTime)
        sessions = SessionKeeper(configuration: configuration, capture: capture, bootTime: bootTime)
        shownSessions = sessions.status
        suspensions = SuspensionWatch(budgets: gate.budgets, capture: capture, time: time)
    }

    /// The identifier of the current session. A session begins with creation, or activation after a shutdown, and ends with the
    /// next shutdown or the lifecycle service's session.
    public nonisolated var currentSessionId: String { capture.currentSessionId }

    /// The number of the calling thread, as the system's tools show it.
    public nonisolated static func currentThreadId() -> String { CurrentThread.identifier }

    /// A consistent snapshot of the statistics; may be read on any thread.
    public nonisolated var statistics: Statistics { capture.statistics }

    // MARK: Operations

    // Those that suspend are serialized, except `flush()`: of two that overlap, the last call takes effect.

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
                rings.empty()
                sessions.empty()
            }
            rings.update()
            sessions.end()
            if !isPaused {
                sessions.begin()
                reportEndedSessions()
            }
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
                // Without an earlier task the logger was never activated, so that the waiting events were held.
                if !delivery.hasRun { capture.withState { $0.stampHeld() } }
                capture.withState { $0.beginSession() }
            case .holding: capture.withState { $0.stampHeld() }
            case .refusing, .on, .off: break
            }
            if !enabled { acceptance.endWithdrawal() }
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
            if !enabled { acceptance.endWithdrawal() }
            if enabled, phase == .shutDown {
                configuration.report(
                    .unexpectedInput, "setEnabled(true) has no effect after shutdown(); call activate(enabled:) instead.")
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
            acceptance.close()
            if wasOn {
                await delivery.stop(isFinishing: true)
                sessions.leave()
                capture.withState { $0.detach() }
                rings.leave()
            }
            triggers.end()
            await suspensions.end()?.value
            gate.budgets.clear()
        }
    }

    private func perform(_ effect: LoggerPhase.Effect) async {
        switch effect {
        case .nothing: break
        case .hold: acceptance.open()
        case .run where isPaused:
            acceptance.close()
            // Held events must not be recorded.
            capture.withState { $0.discardAll() }
            // Before the rings are opened, because an end that it finds decides how old their events may be.
            openSpool()
            rings.update()
        case .run: run()
        case .discard:
            acceptance.close()
            rings.empty()
            sessions.empty()
            triggers.end()
            await delivery.stop(isFinishing: false)
            await suspensions.end()?.value
            gate.budgets.discardSuppressed()
            capture.withState { $0.discardAll() }
            if let directory = configuration.spoolDirectory { Spool.purge(directory) }
            capture.redactor?.forgetSecret()
        }
    }

    private func run() {
        openSpool()
        rings.update()
        sessions.begin()
        acceptance.open()
        capture.recordBudgetReports()
        reportDropsOfOrphans()
        // Weak, so that the task does not keep a logger that its host released.
        delivery.start { [weak self] id, timedOut in await self?.step(of: id, timedOut: timedOut) }
        startTriggers()
        reportEndedSessions()
        if let onSuspension = onSuspension.withLock(\.self) { suspensions.start(onSuspension) }
    }

    private func step(of id: UInt64, timedOut: Bool) async -> EventDelivery.Step {
        sessions.touch()
        return await delivery.step(of: id, timedOut: timedOut)
    }

    /// Reports the sessions whose processes ended without ending them, and logs what they kept if it is wanted.
    private func reportEndedSessions() {
        sessions.report()
        if rings.dumpAfterEnd() > 0 { delivery.deliverSoon() }
    }

    private func inTurn<Value>(_ operation: () async -> Value) async -> Value {
        if !operations.begin() { await withCheckedContinuation { operations.wait($0) } }
        defer { operations.end() }
        return await operation()
    }

    /// Returns when all events logged before the call, on any thread, are with the transport or kept for a later attempt.
    ///
    /// Delivery starts immediately, even during a backoff; overlapping calls share a delivery. Before activation events are held,
    /// and the call returns immediately. It waits as long as the transport takes; cancelling the calling task ends the wait, not
    /// the delivery.
    public func flush() async {
        guard delivery.isRunning else { return }
        gate.budgets.endPastSuspensions()
        capture.recordBudgetReports()
        await delivery.flush()
    }

    // MARK: The spool

    /// Moves held events to the spool's files and adopts the events of dead sessions. Without a usable directory events stay in
    /// memory.
    private func openSpool() {
        guard let directory = configuration.spoolDirectory, capture.withState({ $0.store.spool == nil }) else { return }
        do {
            let spool = try Spool(directory: directory)
            if let exposure = spool.exposure {
                configuration.report(.storageFailed, "Other users can remove spooled events in \(directory.path): \(exposure).")
            }
            let maximumBytes = configuration.spool.maximumBytes
            capture.withState { $0.attach(spool, maximumBytes: maximumBytes) }
            capture.createFiles()
            if !isPaused { sessions.begin() }
            adoptOrphans()
            capture.redactor?.storeSecret(configuration.diagnostics)
        } catch {
            configuration.report(
                .storageFailed, "The spool in \(directory.path) cannot be used; events are kept in memory: \(error)")
        }
    }

    /// Adopts the current client's events that dead sessions left.
    private func adoptOrphans() {
        let (spool, clientId) = capture.withState { ($0.store.spool, $0.clientId) }
        guard let spool else { return }
        let orphans = spool.adopt(clientId: clientId, maximumAge: configuration.spool.maximumAge, now: bootTime())
        capture.withState { $0.adopt(orphans) }
        let ended = orphans.endedSessions
        sessions.add(ended)
        if let first = ended.first { rings.setEnd(at: first.lastActive) }
        for diagnostic in orphans.diagnostics { configuration.diagnostics?(diagnostic) }
    }

    /// Reports the losses of an adoption if no event waits, because then no delivery follows that would report them.
    private func reportDropsOfOrphans() {
        if capture.waiting == 0 { delivery.reportDrops() }
    }

    // MARK: What the lifecycle service controls

    package func setPaused(_ isPaused: Bool) async {
        await inTurn {
            guard isPaused != self.isPaused else { return }
            self.isPaused = isPaused
            guard phase == .on else { return }
            if isPaused {
                reportSuppressed()
                acceptance.close()
                sessions.end()
                await delivery.stop(isFinishing: false)
            } else {
                run()
            }
        }
    }

    package func renewSession() async -> String? {
        await inTurn {
            let wasOn = phase == .on
            guard wasOn || phase == .off else { return nil }
            if wasOn { await perform(phase.setEnabled(false)) }
            let ended: String? = capture.withState { state in
                defer { state.beginSession() }
                return state.highestOffered > 0 ? state.session.id : nil
            }
            if wasOn { await perform(phase.setEnabled(true)) }
            return ended
        }
    }

    package nonisolated func beginShutdown() {}

    package nonisolated var deliveredToday: TelemetryDeliveryCount? { counter.today }

    package nonisolated var sessionStatus: TelemetrySessionStatus { shownSessions.current }

    package nonisolated func setConsentCheck(_ check: TelemetryConsentCheck) { acceptance.setConsentCheck(check) }

    package nonisolated func withdraw() { acceptance.withdraw() }

    package var hasStragglers: Bool { delivery.hasStragglers }

    @discardableResult
    package nonisolated func limit(
        to budget: ScenarioBudget?, onSuspension: @escaping @Sendable (_ suspensions: [String: Date]) async -> Void
    ) -> Bool {
        self.onSuspension.withLock { $0 = budget == nil ? nil : onSuspension }
        gate.limit(to: budget)
        return true
    }

    package nonisolated func withholdBudgetReports(of scenarios: Set<String>) { gate.budgets.withholdReports(of: scenarios) }

    /// Limits how much each scenario records, as the lifecycle service does by the policy's budget. Called before activation.
    @_spi(Tooling)
    public nonisolated func limitScenarios(toEvents events: Int, bytes: Int?, per period: Duration) {
        limit(to: ScenarioBudget(events: events, bytes: bytes, per: period)) { _ in }
    }

    /// Reports the events that were not recorded so far, because recording is about to end. No event of a scenario is recorded
    /// from now on.
    private func reportSuppressed() {
        gate.setOpen(false)
        gate.budgets.reportSuppressed()
        capture.recordBudgetReports()
    }

    package nonisolated var hasRecorder: Bool { true }

    package func setRecordedScenarios(
        _ scenarios: Set<String>, level: TelemetryLogLevel, capturesAfterCrash: Bool = false
    ) async {
        guard rings.choose(scenarios, level: level, dumpsAfterEnd: capturesAfterCrash) else { return }
        // The gate is closed at once, because operations that began earlier may take some time.
        await inTurn {
            guard phase == .on else { return }
            triggers.read()
            rings.update()
        }
    }

    package func setTriggers(
        _ triggers: [EventTrigger], onFiring: @escaping @Sendable (TriggerFiring) -> Void
    ) {
        self.triggers.set(triggers, onFiring: onFiring)
        if phase == .on { startTriggers() }
    }

    private func startTriggers() { triggers.start { [weak self] in await self?.readForTriggers() } }

    private func readForTriggers() -> TriggerWatch.Reading { triggers.read() }

    package func reportAction(_ firing: TriggerFiring, captured: Int?) {
        capture.recordTriggerReport(firing, captured: captured)
        delivery.deliverSoon()
    }

    package func dumpRecorded(_ scenario: String, lookback: Double?) async -> Int? {
        await inTurn {
            guard phase == .on, !isPaused else { return nil }
            triggers.read()
            let count = rings.dumpEvents(of: scenario, lookback: lookback)
            if let count, count > 0 { delivery.deliverSoon() }
            return count
        }
    }
}
