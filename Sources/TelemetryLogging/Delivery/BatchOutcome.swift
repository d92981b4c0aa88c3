import TelemetryModels
import TelemetryTransport

/// The result of delivering a batch.
struct BatchOutcome: Sendable {
    /// The number of events from the start of the batch that need not be sent again.
    var handled = 0
    /// The indices of those that were permanently rejected.
    var rejected: [Int] = []
    /// Why the rest could not be delivered.
    var failure: Failure?

    enum Failure: Sendable {
        case transport(TelemetryTransportError)
        /// The delivery was cancelled.
        case cancelled
    }
}

/// Finds, by bisection, the events of a batch that a transport rejects.
///
/// A rejected part with several events is halved. A single event that is rejected as invalid is dropped. A single event that is
/// rejected because a quota is exceeded may be too large, or the store may be full: it is dropped only if the store accepts the
/// event after it.
struct BatchBisection: Sendable {
    private var open: [Range<Int>]
    private(set) var outcome = BatchOutcome()
    private var suspect: Int?
    /// Rejected events after the suspect, dropped if the suspect is dropped too.
    private var rejectedAfterSuspect: [Int] = []

    init(count: Int) { open = count > 0 ? [0..<count] : [] }

    /// Returns the next part to send; nil if there is none.
    mutating func next() -> Range<Int>? {
        if outcome.failure != nil { return nil }
        if let range = open.popLast() { return range }
        if suspect != nil { fail(.transport(Self.full)) }
        return nil
    }

    mutating func succeeded(_ range: Range<Int>) {
        if let suspect {
            outcome.rejected.append(suspect)
            outcome.rejected += rejectedAfterSuspect
            rejectedAfterSuspect = []
        }
        suspect = nil
        outcome.handled = range.upperBound
    }

    mutating func failed(_ range: Range<Int>, with error: TelemetryTransportError) {
        let isTooMuch = error.code == .quotaExceeded
        guard isTooMuch || error.code == .invalidArgument else { return fail(.transport(error)) }
        if range.count > 1 {
            let middle = range.lowerBound + range.count / 2
            open.append(middle..<range.upperBound)
            open.append(range.lowerBound..<middle)
        } else if isTooMuch {
            if suspect == nil { suspect = range.lowerBound } else { fail(.transport(error)) }
        } else if suspect == nil {
            outcome.rejected.append(range.lowerBound)
            outcome.handled = range.upperBound
        } else {
            rejectedAfterSuspect.append(range.lowerBound)
        }
    }

    mutating func cancelled() { fail(.cancelled) }

    private mutating func fail(_ failure: BatchOutcome.Failure) { outcome.failure = failure }

    private static let full = TelemetryTransportError(code: .quotaExceeded, message: "The store is full.")
}
