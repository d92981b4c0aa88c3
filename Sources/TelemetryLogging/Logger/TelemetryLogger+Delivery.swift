import TelemetryModels
import TelemetryTransport

extension TelemetryLogger {
    /// Delivers the events that wait now, then reports of losses; false if the transport failed or the pump was ended.
    func deliverWaitingEvents(_ id: UInt64) async -> Bool {
        delivery.backoffEnd = nil
        delivery.deadline = nil
        reportDrops()
        var remaining = capture.waiting
        var ahead: ReadAhead?
        // Limited, because events may be lost faster than the transport accepts reports.
        var reportsLeft = 3
        while remaining > 0 {
            guard isCurrent(id) else { return false }
            capture.prepareSpare()
            guard let range = capture.withState({ $0.beginReading() }) else { break }
            let content = ahead?.content(of: range) ?? read(range)
            ahead = nil
            switch content {
            case .events(let batch):
                let handled: Int?
                // Encoded batches take too little time to be worth a task.
                if batchTransport == nil, let rest = range.rest(after: batch) {
                    // The next batch is read while the transport works on this one.
                    async let next = ReadAhead(rest, limits: batchLimits(for: rest))
                    handled = await deliver(batch, of: range, id: id)
                    ahead = await next
                } else {
                    handled = await deliver(batch, of: range, id: id)
                }
                guard let handled else { return false }
                remaining -= handled
            case .expired(let count, let end, let clientId):
                capture.withState {
                    $0.endReading(range, at: end, clientId: clientId, delivered: 0, dropped: (count, .expired))
                }
                remaining -= count
            case .corrupt:
                capture.withState { $0.abandon(range) }
                report(.corruptFile, "Events that waited for delivery can no longer be read; they are dropped.")
            }
            // Losses during this delivery are reported in its last event.
            if remaining <= 0 || capture.waiting == 0 {
                reportsLeft -= 1
                remaining = reportsLeft >= 0 && reportDrops() ? capture.waiting : 0
            }
        }
        return true
    }

    private func read(_ range: PendingRange) -> DeliveryBatch.Content {
        DeliveryBatch.read(range, limits: batchLimits(for: range), isEncoded: batchTransport != nil)
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
    private func deliver(_ batch: DeliveryBatch, of range: PendingRange, id: UInt64) async -> Int? {
        let count = batch.ends.count
        guard capture.withState({ $0.offer(count, upTo: batch.lastSequence, of: range) }) else { return 0 }
        var bisection = BatchBisection(count: count)
        while let part = bisection.next() {
            do {
                let events = part.count == count ? batch.events : batch.events[part]
                try await append(events, of: batch.clientId, id: id)
                // Counted even if the pump was ended meanwhile, because the transport has them.
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
            delivery.schedule.succeeded()
            delivery.isRetry = false
            return count
        }
        if case .transport(let error) = failure { backOff(after: error) }
        return nil
    }

    private func append(_ events: TelemetryEventBatch, of clientId: String?, id: UInt64) async throws {
        try await requireConsent(of: clientId, id: id)
        if delivery.isRetry {
            delivery.isRetry = false
            capture.withState { $0.statistics.retries += 1 }
        }
        delivery.appending.insert(id)
        defer { delivery.appending.remove(id) }
        if let batchTransport { try await batchTransport.append(events) } else { try await transport.append(events.events) }
    }

    private func settle(_ outcome: BatchOutcome, of batch: DeliveryBatch, from range: PendingRange) {
        countDelivery(outcome, ends: batch.ends, from: range.from)
        let handled = outcome.handled
        let offset = handled > 0 ? batch.ends[handled - 1] : range.from
        let clientId = handled > 0 ? batch.clientId : range.clientId
        let rejected = outcome.rejected.flatMap { batch.events[$0..<($0 + 1)].events }
        // The loss of a report is not reported: a store that rejects reports would get them without end.
        let reports = rejected.count { $0.name == Self.droppedEventName }
        capture.withState {
            $0.endReading(
                range, at: offset, clientId: clientId, delivered: handled - rejected.count,
                dropped: (rejected.count, .rejected), unreported: reports)
        }
        for event in rejected {
            report(.eventsDropped, "The transport rejected the event \(event.eventId) (\(event.name)); it is dropped.")
        }
    }

    private func backOff(after error: TelemetryTransportError) {
        let wait = delivery.schedule.waitAfterFailure(retryAfter: error.retryAfter, jitter: jitter())
        delivery.backoffEnd = time.elapsed() + wait.duration
        delivery.isRetry = wait.isRetry
        report(.transportFailed, "An append failed; its events are kept and sent later: \(error)")
    }

    /// Records an event that reports losses; false if there are none to report.
    @discardableResult
    func reportDrops() -> Bool {
        guard let losses = capture.takeUnreportedDrops() else { return false }
        let text = losses.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue) \($0.value)" }
            .joined(separator: ", ")
        report(.eventsDropped, "Events were dropped: \(text).")
        capture.recordDropReport(losses, text: text)
        return true
    }

    func report(_ kind: TelemetryDiagnostic.Kind, _ message: String) {
        configuration.diagnostics?(TelemetryDiagnostic(kind: kind, message: message))
    }

    /// Returns a transport's error; any other error counts as an unavailable store.
    static func transportError(_ error: any Error) -> TelemetryTransportError {
        error as? TelemetryTransportError
            ?? TelemetryTransportError(code: .unavailable, message: "The transport failed: \(error)", cause: error)
    }
}
