import Synchronization

/// Limits how much each scenario records in a period, and counts the events that are not recorded.
///
/// A scenario's period begins with its first event after the previous period. Events are counted without a lock; the lock is
/// taken when a period begins and when a budget is used up. A budget that is used up suspends its scenario until the period's end.
///
/// It owns the meters, and deallocates them in its `deinit`.
final class ScenarioBudgets: Sendable {
    /// The rest of a period whose budget is used up. Dates are seconds since 1 January 2001.
    struct Suspension: Sendable, Equatable {
        let begin: Double
        let end: Double
    }

    /// The number of events of a scenario that were not recorded.
    struct Report: Sendable, Equatable {
        let scenario: String
        let suppressed: Int
        /// The length of the period, or of its part that is reported, in seconds.
        let seconds: Double
    }

    fileprivate struct State {
        var budget: ScenarioBudget?
        var meters: [String: SharedMemory<BudgetMeter>] = [:]
        var suspensions: [String: Suspension] = [:]
        /// The reports that are not recorded yet.
        var reports: [Report] = []
        /// The scenarios of which nothing is reported.
        var withheld: Set<String> = []
    }

    /// Signalled when the suspensions have changed.
    let changes = WakeSignal()
    /// Returns the time in seconds since 1 January 2001.
    let now: @Sendable () -> Double
    /// The bit pattern of a period's length in seconds.
    private let length = Atomic<UInt64>(0)
    private let isReportWaiting = Atomic(false)
    private let state = TraceableMutex(State())

    init(now: @escaping @Sendable () -> Double) { self.now = now }

    deinit {
        // No other thread has a reference to the budgets any more.
        let meters = state.withLock { Array($0.meters.values) }
        for meter in meters { unsafe meter.deallocate(count: 1) }
    }

    /// Whether there is a limit.
    var isLimited: Bool { state.withLock { $0.budget != nil } }

    /// Replaces the limits. Periods end, and events that were not recorded are not reported.
    func set(_ budget: ScenarioBudget?) {
        state.withLock { state in
            state.budget = budget
            state.clear()
            length.store((budget?.seconds ?? 0).bitPattern, ordering: .relaxed)
        }
        changes.signal()
    }

    /// The permanent meter of a scenario.
    func meter(for scenario: String) -> SharedMemory<BudgetMeter> {
        state.withLock { state in
            if let known = state.meters[scenario] { return known }
            let meter = SharedMemory(count: 1) { _ in BudgetMeter(name: scenario) }
            if state.budget == nil { _ = unsafe meter.start.pointee.refill(.max) }
            state.meters[scenario] = meter
            return meter
        }
    }

    // MARK: Counting

    /// Counts an event; nil if it must not be recorded.
    /// - Parameter meter: A meter of these budgets, also in all other methods.
    @inline(__always)
    func admit(_ meter: SharedMemory<BudgetMeter>) -> Admission? {
        // Read before the clock, so that a period that another thread begins meanwhile does not seem to be in the future.
        let begin = unsafe meter.start.pointee.begin.load(ordering: .acquiring)
        let seconds = now()
        let elapsed = seconds - Double(bitPattern: begin)
        // Negated, so that NaN is outside the period. A period that is in the future has ended, because the clock was set back.
        if !(elapsed >= 0 && elapsed < Double(bitPattern: length.load(ordering: .relaxed))) {
            beginPeriod(of: meter, after: begin, at: seconds)
        }
        let left = unsafe meter.start.pointee.eventsLeft.wrappingSubtract(1, ordering: .relaxed).oldValue
        if left == 1 { suspend(meter) }
        return left > 0 ? Admission(meter: meter, seconds: seconds) : nil
    }

    /// Counts the bytes of an event that was recorded.
    @inline(__always)
    func charge(_ meter: SharedMemory<BudgetMeter>, bytes: Int) {
        guard unsafe meter.start.pointee.bytesLeft.load(ordering: .relaxed) != .max else { return }
        let left = unsafe meter.start.pointee.bytesLeft.wrappingSubtract(bytes, ordering: .relaxed).oldValue
        if left > 0, left <= bytes { suspend(meter) }
    }

    /// Begins a period, unless another thread has done so.
    /// - Parameters:
    ///   - begin: The previous period's begin.
    ///   - seconds: The time of the event that begins the period.
    @inline(never)
    private func beginPeriod(of meter: SharedMemory<BudgetMeter>, after begin: UInt64, at seconds: Double) {
        let isChange = state.withLock { state in
            guard let budget = state.budget, unsafe meter.start.pointee.begin.load(ordering: .relaxed) == begin else {
                return false
            }
            let name = unsafe meter.start.pointee.name
            let wasSuspended = state.suspensions.removeValue(forKey: name) != nil
            note(unsafe meter.start.pointee.refill(budget.events), of: name, in: budget.seconds, &state)
            unsafe meter.start.pointee.bytesLeft.store(budget.bytes, ordering: .relaxed)
            unsafe meter.start.pointee.begin.store(seconds.bitPattern, ordering: .releasing)
            if budget.events == 0 { state.suspensions[name] = Suspension(begin: seconds, end: seconds + budget.seconds) }
            return wasSuspended || budget.events == 0
        }
        if isChange { changes.signal() }
    }

    /// Suspends a scenario whose budget is used up until the period's end.
    @inline(never)
    private func suspend(_ meter: SharedMemory<BudgetMeter>) {
        let isChange = state.withLock { state in
            guard let budget = state.budget else { return false }
            // Checked again: another thread may have begun a period meanwhile.
            let bytesLeft = unsafe meter.start.pointee.bytesLeft.load(ordering: .relaxed)
            let eventsLeft = unsafe meter.start.pointee.eventsLeft.load(ordering: .relaxed)
            guard min(bytesLeft, eventsLeft) <= 0 else { return false }
            unsafe meter.start.pointee.eventsLeft.min(0, ordering: .relaxed)
            let begin = unsafe Double(bitPattern: meter.start.pointee.begin.load(ordering: .relaxed))
            let name = unsafe meter.start.pointee.name
            guard state.suspensions[name] == nil, !begin.isNaN else { return false }
            state.suspensions[name] = Suspension(begin: begin, end: begin + budget.seconds)
            return true
        }
        if isChange { changes.signal() }
    }

    // MARK: Suspensions

    /// The scenarios whose budget is used up.
    var suspensions: [String: Suspension] { state.withLock(\.suspensions) }

    /// Ends these suspensions, whatever the clock shows. Those that have changed meanwhile stay.
    func end(_ suspensions: [String: Suspension]) {
        state.withLock { state in
            for (name, suspension) in suspensions where state.suspensions[name] == suspension {
                state.suspensions[name] = nil
                guard let meter = state.meters[name] else { continue }
                note(unsafe meter.start.pointee.refill(0), of: name, in: suspension.end - suspension.begin, &state)
                unsafe meter.start.pointee.end()
            }
        }
    }

    /// Ends the suspensions whose period is over.
    func endPastSuspensions() {
        let seconds = now()
        let past = suspensions.filter { $0.value.isOver(at: seconds) }
        guard !past.isEmpty else { return }
        end(past)
        changes.signal()
    }

    /// Ends all periods. Events that were not recorded are not reported.
    func clear() { state.withLock { $0.clear() } }

    // MARK: Reports

    /// Whether ``takeReports()`` returns any.
    @inline(__always)
    var hasReports: Bool { isReportWaiting.load(ordering: .relaxed) }

    /// Returns the reports, each once.
    func takeReports() -> [Report] {
        state.withLock { state in
            isReportWaiting.store(false, ordering: .relaxed)
            defer { state.reports = [] }
            return state.reports
        }
    }

    /// Reports the events that were not recorded in the periods so far. The periods continue.
    func reportSuppressed() {
        let seconds = now()
        state.withLock { state in
            guard let budget = state.budget else { return }
            for (name, meter) in state.meters {
                let elapsed = unsafe seconds - Double(bitPattern: meter.start.pointee.begin.load(ordering: .relaxed))
                let isRunning = elapsed >= 0 && elapsed < budget.seconds
                note(
                    unsafe meter.start.pointee.takeSuppressed(), of: name, in: isRunning ? elapsed : budget.seconds, &state)
            }
        }
    }

    /// Replaces the scenarios of which nothing is reported, and discards their reports.
    func withholdReports(of scenarios: Set<String>) {
        state.withLock { state in
            state.withheld = scenarios
            state.reports.removeAll { scenarios.contains($0.scenario) }
        }
    }

    /// Discards the reports and the counts of events that were not recorded. The periods continue.
    func discardSuppressed() {
        state.withLock { state in
            for meter in state.meters.values { _ = unsafe meter.start.pointee.takeSuppressed() }
            state.reports = []
            isReportWaiting.store(false, ordering: .relaxed)
        }
    }

    private func note(_ suppressed: Int, of scenario: String, in seconds: Double, _ state: inout State) {
        guard suppressed > 0, !state.withheld.contains(scenario) else { return }
        state.reports.append(Report(scenario: scenario, suppressed: suppressed, seconds: seconds))
        isReportWaiting.store(true, ordering: .relaxed)
    }
}

extension ScenarioBudgets.Suspension {
    /// Whether the period has ended, or the clock was set back to a time before it.
    func isOver(at seconds: Double) -> Bool { !(seconds >= begin && seconds < end) }
}

extension ScenarioBudgets.State {
    /// Ends all periods and discards the reports.
    fileprivate mutating func clear() {
        // Without a limit, a thread that still counts an event records it.
        for meter in meters.values {
            _ = unsafe meter.start.pointee.refill(budget == nil ? .max : 0)
            unsafe meter.start.pointee.end()
        }
        suspensions = [:]
        reports = []
    }
}
