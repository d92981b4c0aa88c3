public import TelemetryModels

/// Delivers events to a collector at least once: retries while the collector is unavailable, and isolates events that it refuses.
///
/// A batch that the collector refuses is divided until the refused events are alone. They are left out, provided that the
/// collector accepts an empty request; otherwise the endpoint is wrong, and nothing is left out.
public struct TelemetryOTLPDelivery: Sendable {
    /// The maximum number of events of one request.
    public static let maximumBatchSize = 512
    /// The maximum number of bytes of strings in one request, unless a single event has more.
    static let maximumBatchBytes = 2 << 20

    /// What happened to delivered events.
    public struct Outcome: Sendable, Hashable {
        /// The number of events that the collector accepted.
        public internal(set) var acceptedCount = 0
        /// The number of events that the collector rejected in requests that it accepted otherwise.
        public internal(set) var rejectedCount = 0
        /// The identifiers of events that the collector refused, and that were left out.
        public internal(set) var refusedEventIds: [String] = []
    }

    /// A problem during a delivery.
    public enum Notice: Sendable, Equatable {
        /// The collector is unavailable; the request is repeated after this time.
        case retrying(after: Duration, TelemetryOTLPError)
        /// The collector answered with a message, or rejected some events of a request.
        case partialSuccess(rejectedCount: Int, message: String?)
        /// The event was left out.
        case refused(eventId: String, TelemetryOTLPError)
    }

    private let exporter: TelemetryOTLPExporter
    private let clock: any Clock<Duration>
    private let jitter: @Sendable () -> Double
    private let notify: @Sendable (Notice) -> Void

    /// - Parameters:
    ///   - exporter: Sends the requests.
    ///   - clock: The clock for waits before retries.
    ///   - jitter: Returns a random number from 0 to below 1; called before each retry.
    ///   - notify: Called with each problem.
    public init(
        exporter: TelemetryOTLPExporter, clock: any Clock<Duration> = ContinuousClock(),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        notify: @escaping @Sendable (Notice) -> Void = { _ in }
    ) {
        self.exporter = exporter
        self.clock = clock
        self.jitter = jitter
        self.notify = notify
    }

    /// Delivers the events, in order. Returns when the collector has answered for each of them, however long it is unavailable.
    ///
    /// After an error some events may be delivered; delivering all of them again is safe, because a collector can tell by
    /// `log.record.uid` that two records are the same event.
    /// - Throws: ``TelemetryOTLPError`` if no request can succeed; `CancellationError` if the calling task is cancelled.
    public func deliver(_ events: [TelemetryEvent]) async throws -> Outcome {
        var outcome = Outcome()
        var pending = Array(Self.batches(events).reversed())
        while let batch = pending.popLast() {
            do {
                let receipt = try await send(batch)
                let rejected = min(receipt.rejectedCount, batch.count)
                outcome.acceptedCount += batch.count - rejected
                outcome.rejectedCount += rejected
                if rejected > 0 || receipt.message != nil {
                    notify(.partialSuccess(rejectedCount: rejected, message: receipt.message))
                }
            } catch let error as TelemetryOTLPError where error.code == .rejected || error.code == .tooLarge {
                guard batch.count == 1, let event = batch.first else {
                    let middle = batch.startIndex + batch.count / 2
                    pending += [batch[middle...], batch[..<middle]]
                    continue
                }
                try await verifyEndpoint(after: error)
                outcome.refusedEventIds.append(event.eventId)
                notify(.refused(eventId: event.eventId, error))
            }
        }
        return outcome
    }

    /// Checks that the collector accepts a request without events.
    private func verifyEndpoint(after error: TelemetryOTLPError) async throws {
        do { _ = try await send([]) } catch is TelemetryOTLPError {
            throw TelemetryOTLPError(code: .misconfigured, message: error.message)
        }
    }

    private func send(_ events: ArraySlice<TelemetryEvent>) async throws -> TelemetryOTLPExporter.Receipt {
        var failures = 0
        while true {
            do { return try await exporter.export(events) } catch let error as TelemetryOTLPError
                where error.code == .unavailable
            {
                let delay = error.retryAfter.map { max($0, Self.leastDelay) } ?? Self.delay(failures, jitter: jitter())
                failures += 1
                notify(.retrying(after: delay, error))
                try await clock.sleep(for: delay)
            }
        }
    }

    private static let leastDelay = Duration.milliseconds(500)

    /// The delay before a retry: doubled by each failure up to 32 seconds, of which a random part of at most half is left out.
    static func delay(_ earlierFailures: Int, jitter: Double) -> Duration {
        leastDelay * Double(1 << min(earlierFailures, 6)) * (1 - jitter / 2)
    }

    static func batches(_ events: [TelemetryEvent]) -> [ArraySlice<TelemetryEvent>] {
        var batches: [ArraySlice<TelemetryEvent>] = []
        var start = events.startIndex
        var bytes = 0
        for (index, event) in events.enumerated() {
            let size = textBytes(of: event)
            if index > start, index - start == maximumBatchSize || bytes + size > maximumBatchBytes {
                batches.append(events[start..<index])
                (start, bytes) = (index, 0)
            }
            bytes += size
        }
        if start < events.endIndex { batches.append(events[start...]) }
        return batches
    }

    private static func textBytes(of event: TelemetryEvent) -> Int {
        event.attributes.reduce(event.name.utf8.count + (event.property1?.utf8.count ?? 0)) { sum, attribute in
            sum + attribute.key.utf8.count + (attribute.value.stringValue?.utf8.count ?? 0)
        }
    }
}
