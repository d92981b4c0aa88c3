/// The state of a logger's delivery between its steps.
struct DeliveryState {
    /// When the waiting events have waited for the interval.
    var deadline: Duration?
    /// The end of the backoff, before which only a flush or a shutdown sends events.
    var backoffEnd: Duration?
    /// Whether the next append counts as a retry.
    var isRetry = false
    var schedule: RetrySchedule
    var rate: WakeRate
    /// The tasks with an append in progress; more than one if a transport did not return before its task was replaced.
    var appending: Set<UInt64> = []
    /// Whether the consumer waits only for a short time because events arrive fast.
    var isLingering = false
    /// Whether the task delivers the waiting events and stops.
    var isFinishing = false
    let interval: Duration

    init(configuration: TelemetryLogger.Configuration) {
        interval = .seconds(configuration.flushInterval)
        schedule = RetrySchedule(maxRetries: configuration.maxRetries, interval: interval)
        rate = WakeRate(batchSize: configuration.batchSize)
    }

    /// Resets the schedule for a new task.
    mutating func reset() {
        deadline = nil
        backoffEnd = nil
        isRetry = false
        schedule.succeeded()
        rate.reset()
    }
}
