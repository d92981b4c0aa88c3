import TelemetryModels
import TelemetryTransport

/// How far a batch got.
struct BatchOutcome: Sendable {
    /// So many events from the front need not be sent again …
    var handled = 0
    /// … and these of them were refused for good.
    var rejected: [Int] = []
    /// Why the rest could not be delivered.
    var failure: Failure?

    enum Failure: Sendable {
        case transport(TelemetryTransportError)
        /// The delivery was called off.
        case cancelled
    }
}

/// Narrows down, by halving, which events of a batch a transport cannot take.
///
/// A refusal of several events halves them. One that is refused alone as invalid is given up. One that is refused alone because
/// a quota is exceeded may be too large, or the store may be full: it is given up only if the store takes the event behind it.
struct BatchBisection: Sendable {
    private var open: [Range<Int>]
    private(set) var outcome = BatchOutcome()
    private var suspect: Int?
    /// Refused behind the suspect, given up once it is clear that the suspect goes too.
    private var rejectedBehindSuspect: [Int] = []

    init(count: Int) { open = count > 0 ? [0..<count] : [] }

    /// What to send next; nil once all is decided.
    mutating func next() -> Range<Int>? {
        if outcome.failure != nil { return nil }
        if let range = open.popLast() { return range }
        if suspect != nil { fail(.transport(Self.full)) }
        return nil
    }

    mutating func succeeded(_ range: Range<Int>) {
        if let suspect {
            outcome.rejected.append(suspect)
            outcome.rejected += rejectedBehindSuspect
            rejectedBehindSuspect = []
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
            rejectedBehindSuspect.append(range.lowerBound)
        }
    }

    mutating func cancelled() { fail(.cancelled) }

    private mutating func fail(_ failure: BatchOutcome.Failure) { outcome.failure = failure }

    private static let full = TelemetryTransportError(code: .quotaExceeded, message: "The store takes no more events.")
}
