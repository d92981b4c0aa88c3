import Synchronization

/// The single task of a logger, which waits for events and delivers them.
extension TelemetryLogger {
    /// The pump's action after a step.
    enum Step: Sendable {
        case wait(Duration?)
        case stop
    }

    func startPump() {
        guard pump == nil else { return }
        pumpCount += 1
        let id = pumpCount
        let ended = WakeSignal()
        let wakeUp = capture.wakeUp
        let clock = time.clock
        delivery.reset()
        // Weak, so that the pump does not keep a logger that its host released.
        let task = Task { [weak self] in
            var timedOut = false
            loop: while let step = await self?.step(of: id, timedOut: timedOut) {
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
        pump = Pump(id: id, task: task, ended: ended)
    }

    /// Ends the pump and waits for its end, at most until the deadline.
    /// - Parameter isFinishing: Whether waiting events are delivered first.
    func stopPump(isFinishing: Bool) async {
        guard let pump else { return }
        delivery.isFinishing = isFinishing
        if isFinishing { capture.wakeUp.signal() } else { pump.task.cancel() }
        let deadline: Duration? = isFinishing || !delivery.appending.isEmpty ? .seconds(configuration.shutdownDeadline) : nil
        let clock = time.clock
        // In a separate task, so that cancellation of the caller does not shorten the wait.
        await Task {
            if let deadline { _ = await pump.ended.wait(for: deadline, on: clock) } else { await pump.ended.wait() }
        }.value
        // A task whose transport never returns stays; it is no longer current if it ever resumes.
        pump.task.cancel()
        self.pump = nil
        delivery.isFinishing = false
        capture.withState { $0.abandonReading() }
        flushes.end(flushes.present)
    }

    func isCurrent(_ id: UInt64) -> Bool {
        pump?.id == id && !Task.isCancelled && !isWithdrawn.load(ordering: .sequentiallyConsistent)
    }

    /// Delivers the events that are due.
    /// - Returns: how long to wait for the next step.
    private func step(of id: UInt64, timedOut: Bool) async -> Step {
        if timedOut, delivery.isLingering, capture.waiting < delivery.rate.threshold { delivery.rate.noteQuiet() }
        delivery.isLingering = false
        while isCurrent(id) {
            capture.wakeUp.reset()
            let served = flushes.present
            if capture.waiting == 0 {
                flushes.end(served)
                if delivery.isFinishing { return .stop }
                delivery.deadline = nil
                let isRaised = delivery.rate.isRaised
                guard capture.sleep(untilWaiting: isRaised ? delivery.rate.threshold : 1) else { continue }
                return .wait(isRaised ? lingering() : nil)
            }
            if served.isEmpty, !delivery.isFinishing, let wait = waitBeforeDelivery() {
                if wait.isRefused { continue }
                return .wait(wait.duration)
            }
            let isDone = await deliverWaitingEvents(id)
            flushes.end(served)
            if delivery.isFinishing, !isDone { return .stop }
        }
        return .stop
    }

    /// How long the waiting events must still wait; nil if they are due. Refused if events arrived meanwhile.
    private func waitBeforeDelivery() -> (duration: Duration, isRefused: Bool)? {
        let now = time.elapsed()
        if let end = delivery.backoffEnd {
            guard end <= now else {
                _ = capture.sleep(untilWaiting: .max)
                return (end - now, false)
            }
            delivery.backoffEnd = nil
            return nil
        }
        let threshold = delivery.rate.threshold
        if capture.waiting >= threshold {
            delivery.rate.noteWake(at: now)
            return nil
        }
        let deadline = delivery.deadline ?? now + delivery.interval
        delivery.deadline = deadline
        guard deadline > now else { return nil }
        guard capture.sleep(untilWaiting: threshold) else { return (.zero, true) }
        return (delivery.rate.isRaised ? min(lingering(), deadline - now) : deadline - now, false)
    }

    /// Ends the wait for the flush interval; a backoff goes on.
    func deliverSoon() {
        delivery.deadline = time.elapsed()
        capture.wakeUp.signal()
    }

    private func lingering() -> Duration {
        delivery.isLingering = true
        return WakeRate.linger
    }
}
