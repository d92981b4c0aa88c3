import TelemetryModels

/// The methods that the logger's delivery uses.
extension EventCapture {
    var waiting: Int { withState { $0.waiting } }

    /// Requests to be woken once `count` events wait; false if as many wait already.
    func sleep(untilWaiting count: Int) -> Bool {
        withState { state in
            guard state.waiting < count else { return false }
            state.consumerWakeAt = count
            return true
        }
    }

    /// Returns the losses that the stream does not report yet, which count as reported from now on.
    func takeUnreportedDrops() -> [TelemetryLogger.DropCause: UInt64]? {
        withState { state in
            guard state.isAccepting, !state.unreportedDrops.isEmpty else { return nil }
            // A report that no longer waits was delivered or taken back.
            state.reportedDrops.keep(from: state.firstWaiting)
            defer { state.unreportedDrops = [:] }
            return state.unreportedDrops
        }
    }

    /// Records an event that reports losses.
    func recordDropReport(_ losses: [TelemetryLogger.DropCause: UInt64], text: String) {
        let attributes = losses.map { ($0.key.rawValue, TelemetryValue.int(Int64(clamping: $0.value))) }
        recordSlowly(
            CapturedEvent(
                name: TelemetryLogger.droppedEventName, scenario: nil, level: .info, property1: text,
                attributes: Dictionary(uniqueKeysWithValues: attributes), secondsSinceReference: secondsSinceReference,
                thread: CurrentThread.number), reporting: losses)
    }
}

extension EventCapture {
    /// Records the events that report what budgets suppressed, if events are recorded now.
    func recordBudgetReports() {
        let (seconds, thread) = (secondsSinceReference, CurrentThread.number)
        // Taken under the lock, so that none is lost or reported to another client if recording ends in between.
        record {
            budgets.takeReports().map { report in
                CapturedEvent(
                    name: TelemetryLogger.budgetEventName, scenario: report.scenario, level: .info, property1: nil,
                    attributes: [
                        "scenario": .string(report.scenario), "suppressed": .int(Int64(report.suppressed)),
                        "window": .double(report.seconds),
                    ], secondsSinceReference: seconds, thread: thread)
            }
        }
    }

    /// Records the event that reports what was done because of a trigger, if events are recorded now.
    func recordTriggerReport(_ firing: TriggerFiring, captured: Int?) {
        let (seconds, thread) = (secondsSinceReference, CurrentThread.number)
        var attributes: [String: TelemetryValue] = [
            "rule": .string(firing.trigger.ruleId), "scenario": .string(firing.trigger.scenario),
            "action": captured == nil ? "enable" : "capture", "events": .int(Int64(firing.events)),
        ]
        attributes["captured"] = captured.map { .int(Int64($0)) }
        let event = CapturedEvent(
            name: TelemetryLogger.triggerEventName, scenario: nil, level: .info, property1: nil, attributes: attributes,
            secondsSinceReference: seconds, thread: thread)
        record { [event] }
    }

    /// Records events of the logger's own, which are made under the capture's lock; false if no events are recorded now.
    @discardableResult
    func record(own events: @Sendable () -> [CapturedEvent]) -> Bool {
        let shouldWake: Bool? = withState { state in
            guard state.isAccepting else { return nil }
            return events().reduce(false) { append($1, to: &state) || $0 }
        }
        if shouldWake == true { wake() }
        return shouldWake != nil
    }
}
