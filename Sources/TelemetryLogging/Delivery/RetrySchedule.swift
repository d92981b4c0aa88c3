/// The waits before retries: from one second, doubled up to five minutes, with full jitter, and at least the store's
/// `retryAfter`. After the last retry, at least the flush interval.
struct RetrySchedule: Sendable {
    static let first: Duration = .seconds(1)
    static let longest: Duration = .seconds(300)
    /// The longest `retryAfter` that is respected: a wrong value must not stop delivery permanently.
    static let longestAsked: Duration = .seconds(3_600)

    let maxRetries: Int
    let interval: Duration
    private(set) var failures = 0

    init(maxRetries: Int, interval: Duration) {
        self.maxRetries = maxRetries
        self.interval = interval
    }

    struct Wait: Equatable {
        let duration: Duration
        /// False if the retries are used up and the next attempt starts a new series.
        let isRetry: Bool
    }

    /// - Parameter jitter: A random number from 0 to below 1.
    mutating func waitAfterFailure(retryAfter: Duration?, jitter: Double) -> Wait {
        let asked = min(max(retryAfter ?? .zero, .zero), Self.longestAsked)
        guard failures < maxRetries else {
            failures = 0
            return Wait(duration: max(interval, asked), isRetry: false)
        }
        let ceiling = failures < 9 ? min(Self.first * (1 << failures), Self.longest) : Self.longest
        failures += 1
        return Wait(duration: max(ceiling * min(max(jitter, 0), 1), asked), isRetry: true)
    }

    mutating func succeeded() { failures = 0 }
}
