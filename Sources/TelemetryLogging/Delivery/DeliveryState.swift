/// What the delivering side of a logger knows between its steps.
struct DeliveryState {
    /// When the events that wait have waited for the interval.
    var deadline: Duration?
    /// Until when nothing is sent unless somebody asks for it.
    var backoffEnd: Duration?
    /// The next append is counted as a retry.
    var isRetry = false
    var schedule: RetrySchedule
    var rate: WakeRate
    /// The pumps that have an append under way: more than one where a transport did not return before its pump was replaced.
    var appending: Set<UInt64> = []
    /// The consumer waits for a short while only, because events came fast.
    var isLingering = false
    /// Deliver what waits and stop.
    var isFinishing = false
    let interval: Duration

    init(configuration: TelemetryLogger.Configuration) {
        interval = .seconds(configuration.flushInterval)
        schedule = RetrySchedule(maxRetries: configuration.maxRetries, interval: interval)
        rate = WakeRate(batchSize: configuration.batchSize)
    }

    /// Starts anew, keeping who waits.
    mutating func reset() {
        deadline = nil
        backoffEnd = nil
        isRetry = false
        schedule.succeeded()
        rate.reset()
    }
}

/// The task that delivers.
struct Pump: Sendable {
    let id: UInt64
    let task: Task<Void, Never>
    let ended: WakeSignal
}
