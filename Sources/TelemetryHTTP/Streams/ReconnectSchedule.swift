/// When to connect again: exponential backoff with full jitter, so that clients that lost their relay together do not come back
/// together.
struct ReconnectSchedule: Sendable {
    /// The first window; each failure doubles it.
    var minimum: Duration
    var maximum: Duration
    private var failures = 0

    init(minimum: Duration, maximum: Duration) {
        self.minimum = minimum
        self.maximum = max(minimum, maximum)
    }

    /// The next delay: a random part of the window, behind what the relay asked to wait.
    /// - Parameter random: 0 or more, and less than 1.
    mutating func next(retryAfter: Duration? = nil, random: Double) -> Duration {
        var window = minimum
        for _ in 0..<failures where window < maximum { window *= 2 }
        failures += 1
        return (retryAfter ?? .zero) + min(window, maximum) * min(max(random, 0), 1)
    }

    /// The connection held: the next failure begins anew.
    mutating func reset() { failures = 0 }

    /// The relay refused for a reason that does not pass by itself.
    mutating func slowDown() { failures = max(failures, 30) }
}
