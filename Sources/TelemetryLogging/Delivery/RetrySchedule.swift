/// When a failed delivery is tried again: doubling from one second to five minutes with full jitter, never before the store
/// asked for, and after the last retry not before the next interval.
struct RetrySchedule: Sendable {
    static let first: Duration = .seconds(1)
    static let longest: Duration = .seconds(300)
    /// What a store may ask for at most: a wrong `retryAfter` must not silence a client for good.
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
        /// False where the retries are used up and the next try is a new beginning.
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
