import Synchronization
import TelemetryModels
import TelemetryTransport

/// The single task of a logger, which waits for events and delivers them. Its state belongs to the logger's actor.
final class EventDelivery {
    /// The task's action after a step.
    enum Step: Sendable {
        case wait(Duration?)
        case stop
    }

    private struct Running: Sendable {
        let id: UInt64
        let task: Task<Void, Never>
        let ended: WakeSignal
    }

    private let configuration: TelemetryLogger.Configuration
    private let transport: any TelemetryEventTransport
    private let capture: EventCapture
    private let triggers: TriggerWatch
    private let acceptance: EventAcceptance
    private let counter: DeliveryCounter
    private let time: MonotonicTime
    private let bootTime: @Sendable () -> BootTime
    private let jitter: @Sendable () -> Double
    private let flushes = FlushWaiters()
    private var state: DeliveryState
    private var running: Running?
    private var runs: UInt64 = 0

    init(
        configuration: TelemetryLogger.Configuration, transport: any TelemetryEventTransport, capture: EventCapture,
        triggers: TriggerWatch, acceptance: EventAcceptance, counter: DeliveryCounter, time: MonotonicTime,
        bootTime: @escaping @Sendable () -> BootTime, jitter: @escaping @Sendable () -> Double
    ) {
        self.configuration = configuration
        self.transport = transport
        self.capture = capture
        self.triggers = triggers
        self.acceptance = acceptance
        self.counter = counter
        self.time = time
        self.bootTime = bootTime
        self.jitter = jitter
        state = DeliveryState(configuration: configuration)
    }

    deinit { running?.task.cancel() }

    /// Whether the task was ever started.
    var hasRun: Bool { runs > 0 }
    var isRunning: Bool { running != nil }

    /// Whether an append that its task does not wait for any more has not returned.
    var hasStragglers: Bool { state.appending.contains { $0 != running?.id } }

    // MARK: The task

    /// Starts the task, unless it runs.
    /// - Parameter next: Calls ``step(of:timedOut:)``; nil if the logger is gone.
    func start(_ next: @escaping @Sendable (_ id: UInt64, _ timedOut: Bool) async -> Step?) {
        guard running == nil else { return }
        runs += 1
        let id = runs
        let ended = WakeSignal()
        let wakeUp = capture.wakeUp
        let clock = time.clock
        state.reset()
        let task = Task {
            var timedOut = false
            loop: while let step = await next(id, timedOut) {
                switch step {
                case .wait(let duration?): timedOut = await wakeUp.wait(for: duration, on: clock)
                case .wait(nil):
                    await wakeUp.wait()
                    timedOut = false
                case .stop: break loop
                }
            }
            ended.signal()
        }
        running = Running(id: id, task: task, ended: ended)
    }

    /// Ends the task and waits for its end, at most until the deadline.
    /// - Parameter isFinishing: Whether waiting events are delivered first.
    nonisolated(nonsending) func stop(isFinishing: Bool) async {
        guard let running else { return }
        state.isFinishing = isFinishing
        if isFinishing { capture.wakeUp.signal() } else { running.task.cancel() }
        let deadline: Duration? = isFinishing || !state.appending.isEmpty ? .seconds(configuration.shutdownDeadline) : nil
        let clock = time.clock
        // In a separate task, so that cancellation of the caller does not shorten the wait.
        await Task {
            if let deadline { _ = await running.ended.wait(for: deadline, on: clock) } else { await running.ended.wait() }
        }.value
        // A task whose transport never returns stays; it is no longer current if it ever resumes.
        running.task.cancel()
        self.running = nil
        state.isFinishing = false
        capture.withState { $0.abandonReading() }
        flushes.end(flushes.present)
    }

    private func isCurrent(_ id: UInt64) -> Bool {
        running?.id == id && !Task.isCancelled && !acceptance.isWithdrawn
    }

    /// Delivers the events that are due.
    /// - Returns: how long to wait for the next step.
    nonisolated(nonsending) func step(of id: UInt64, timedOut: Bool) async -> Step {
        if timedOut, state.isLingering, capture.waiting < state.rate.threshold { state.rate.noteQuiet() }
        state.isLingering = false
        while isCurrent(id) {
            capture.wakeUp.reset()
            let served = flushes.present
            if capture.waiting == 0 {
                flushes.end(served)
                if state.isFinishing { return .stop }
                state.deadline = nil
                let isRaised = state.rate.isRaised
                guard capture.sleep(untilWaiting: isRaised ? state.rate.threshold : 1) else { continue }
                return .wait(isRaised ? lingering() : nil)
            }
            if served.isEmpty, !state.isFinishing, let wait = waitBeforeDelivery() {
                if wait.isRefused { continue }
                return .wait(wait.duration)
            }
            let isDone = await deliverWaitingEvents(id)
            flushes.end(served)
            if state.isFinishing, !isDone { return .stop }
        }
        return .stop
    }

    /// How long the waiting events must still wait; nil if they are due. Refused if events arrived meanwhile.
    private func waitBeforeDelivery() -> (duration: Duration, isRefused: Bool)? {
        let now = time.elapsed()
        if let end = state.backoffEnd {
            guard end <= now else {
                _ = capture.sleep(untilWaiting: .max)
                return (end - now, false)
            }
            state.backoffEnd = nil
            return nil
        }
        let threshold = state.rate.threshold
        if capture.waiting >= threshold {
            state.rate.noteWake(at: now)
            return nil
        }
        let deadline = state.deadline ?? now + state.interval
        state.deadline = deadline
        guard deadline > now else { return nil }
        guard capture.sleep(untilWaiting: threshold) else { return (.zero, true) }
        return (state.rate.isRaised ? min(lingering(), deadline - now) : deadline - now, false)
    }

    /// Ends the wait for the flush interval; a backoff goes on.
    func deliverSoon() {
        state.deadline = time.elapsed()
        capture.wakeUp.signal()
    }

    private func lingering() -> Duration {
        state.isLingering = true
        return WakeRate.linger
    }

    /// Delivers at once, and returns when the events that waited before the call are delivered or kept for a later attempt. Called
    /// only while the task runs.
    nonisolated(nonsending) func flush() async {
        // Entered before the first suspension, so that a task that ends meanwhile also resumes this caller.
        let id = flushes.enter()
        capture.wakeUp.signal()
        await flushes.wait(id)
    }

    // MARK: Delivery

    /// Checks consent as late as possible, before each append, because another process may have withdrawn it.
    /// - Throws: `CancellationError` if the events must not be sent; the task is no longer current then.
    private nonisolated(nonsending) func requireConsent(of clientId: String?, id: UInt64) async throws {
        guard let consent = acceptance.check else { return }
        let isGranted = await consent.isGranted(clientId)
        // If recording was turned off meanwhile, and perhaps on again, that must not be undone.
        guard isCurrent(id) else { throw CancellationError() }
        guard !isGranted else { return }
        acceptance.withdraw()
        await consent.onWithdrawal()
        throw CancellationError()
    }

    /// Delivers the events that wait now, then reports of losses; false if the transport failed or the task was ended.
    private nonisolated(nonsending) func deliverWaitingEvents(_ id: UInt64) async -> Bool {
        state.backoffEnd = nil
        state.deadline = nil
        reportDrops()
        var remaining = capture.waiting
        // Limited, because events may be lost faster than the transport accepts reports.
        var reportsLeft = 3
        while remaining > 0 {
            guard isCurrent(id) else { return false }
            capture.prepareSpare()
            guard let range = capture.withState({ $0.beginReading() }) else { break }
            triggers.read()
            switch DeliveryBatch.read(range, limits: batchLimits(for: range)) {
            case .events(let batch):
                guard let handled = await deliver(batch, of: range, id: id) else { return false }
                remaining -= handled
            case .expired(let count, let end, let clientId):
                capture.withState {
                    $0.endReading(range, at: end, clientId: clientId, delivered: 0, dropped: (count, .expired))
                }
                remaining -= count
            case .corrupt:
                capture.withState { $0.abandon(range) }
                configuration.report(.corruptFile, "Events that waited for delivery can no longer be read; they are dropped.")
            }
            // Losses during this delivery are reported in its last event.
            if remaining <= 0 || capture.waiting == 0 {
                reportsLeft -= 1
                remaining = reportsLeft >= 0 && reportDrops() ? capture.waiting : 0
            }
        }
        return true
    }

    /// The wall clock may have been wrong when an event was logged, so that no event expires that cannot have waited as long.
    private func batchLimits(for range: PendingRange) -> DeliveryBatch.Limits {
        let maximumAge = configuration.spool.maximumAge
        let waited = range.begun.flatMap { bootTime().seconds(since: $0) } ?? .infinity
        return DeliveryBatch.Limits(
            bytes: configuration.maximumBatchBytes,
            oldest: waited < maximumAge ? -.infinity : capture.secondsSinceReference - maximumAge)
    }

    /// Appends a batch, in halves if necessary.
    /// - Returns: the number of events that need not be sent again; nil if some must.
    private nonisolated(nonsending) func deliver(_ batch: DeliveryBatch, of range: PendingRange, id: UInt64) async -> Int? {
        let count = batch.ends.count
        guard capture.withState({ $0.offer(count, upTo: batch.lastSequence, of: range) }) else { return 0 }
        var bisection = BatchBisection(count: count)
        while let part = bisection.next() {
            do {
                let events = part.count == count ? batch.events : batch.events[part]
                try await append(events, of: batch.clientId, id: id)
                // Counted even if the task was ended meanwhile, because the transport has them.
                bisection.succeeded(part)
                if !isCurrent(id), part.upperBound < count { bisection.cancelled() }
            } catch {
                guard isCurrent(id) else {
                    bisection.cancelled()
                    continue
                }
                let failure = Self.transportError(error)
                bisection.failed(part, with: failure)
            }
        }
        settle(bisection.outcome, of: batch, from: range)
        guard let failure = bisection.outcome.failure else {
            state.schedule.succeeded()
            state.isRetry = false
            return count
        }
        if case .transport(let error) = failure { backOff(after: error) }
        return nil
    }

    private nonisolated(nonsending) func append(_ events: TelemetryEventBatch, of clientId: String?, id: UInt64) async throws {
        try await requireConsent(of: clientId, id: id)
        if state.isRetry {
            state.isRetry = false
            capture.withState { $0.statistics.retries += 1 }
        }
        state.appending.insert(id)
        defer { state.appending.remove(id) }
        try await transport.append(events)
    }

    private func settle(_ outcome: BatchOutcome, of batch: DeliveryBatch, from range: PendingRange) {
        counter.add(outcome, ends: batch.ends, from: range.from)
        let handled = outcome.handled
        let offset = handled > 0 ? batch.ends[handled - 1] : range.from
        let clientId = handled > 0 ? batch.clientId : range.clientId
        let rejected = outcome.rejected.flatMap { batch.events[$0..<($0 + 1)].events }
        // The loss of a report is not reported: a store that rejects reports would get them without end.
        let reports = rejected.count { $0.name == TelemetryLogger.droppedEventName }
        capture.withState {
            $0.endReading(
                range, at: offset, clientId: clientId, delivered: handled - rejected.count,
                dropped: (rejected.count, .rejected), unreported: reports)
        }
        for event in rejected {
            configuration.report(
                .eventsDropped, "The transport rejected the event \(event.eventId) (\(event.name)); it is dropped.")
        }
    }

    private func backOff(after error: TelemetryTransportError) {
        let wait = state.schedule.waitAfterFailure(retryAfter: error.retryAfter, jitter: jitter())
        state.backoffEnd = time.elapsed() + wait.duration
        state.isRetry = wait.isRetry
        configuration.report(.transportFailed, "An append failed; its events are kept and sent later: \(error)")
    }

    /// Records an event that reports losses; false if there are none to report.
    @discardableResult
    func reportDrops() -> Bool {
        guard let losses = capture.takeUnreportedDrops() else { return false }
        let text = losses.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue) \($0.value)" }
            .joined(separator: ", ")
        configuration.report(.eventsDropped, "Events were dropped: \(text).")
        capture.recordDropReport(losses, text: text)
        return true
    }

    /// Returns a transport's error; any other error counts as an unavailable store.
    private static func transportError(_ error: any Error) -> TelemetryTransportError {
        error as? TelemetryTransportError
            ?? TelemetryTransportError(code: .unavailable, message: "The transport failed: \(error)", cause: error)
    }
}
