/// The delays before reconnecting: exponential backoff with full jitter, so that clients do not all reconnect to a relay at the
/// same time.
struct ReconnectSchedule: Sendable {
    /// The first window; each failure doubles it.
    var minimum: Duration
    var maximum: Duration
    private var failures = 0

    init(minimum: Duration, maximum: Duration) {
        self.minimum = minimum
        self.maximum = max(minimum, maximum)
    }

    /// Returns the next delay: the relay's requested wait, plus a random part of the window.
    /// - Parameter random: 0 or more, and less than 1.
    mutating func next(retryAfter: Duration? = nil, random: Double) -> Duration {
        var window = minimum
        for _ in 0..<failures where window < maximum { window *= 2 }
        failures += 1
        return (retryAfter ?? .zero) + min(window, maximum) * min(max(random, 0), 1)
    }

    /// Resets the backoff after a stable connection.
    mutating func reset() { failures = 0 }

    /// Sets the maximum delay, because the relay refused for a permanent reason.
    mutating func slowDown() { failures = max(failures, 30) }
}
