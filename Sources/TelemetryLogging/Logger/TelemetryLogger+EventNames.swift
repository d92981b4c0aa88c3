/// The names of the events that the logger itself logs.
extension TelemetryLogger {
    /// The name of the event that reports losses; its attributes are counts by cause.
    public static let droppedEventName = "telemetry.dropped"
    /// The name of the event that reports how many events of a scenario were not recorded because its budget was used up. Its
    /// attributes are `scenario`, `suppressed`, and `window` in seconds.
    public static let budgetEventName = "telemetry.budget"
    /// The name of the event that reports an earlier session whose process ended without ``shutdown()``. Its attributes are `session`, `end`
    /// (`signal`, `outOfMemory`, `killed`, `restart`, `unknown`), `lastActive`, `appVersion`, and with a signal `signal` and perhaps `backtrace`,
    /// otherwise perhaps `outOfMemoryKills`.
    public static let sessionEventName = "telemetry.session"
    /// The name of the event that reports what a rule's trigger did. Its attributes are `rule`, `scenario`, `action` (`capture` or
    /// `enable`), `events`, which is how many events the trigger counted, and with `capture` `captured`, which is how many were sent.
    public static let triggerEventName = "telemetry.trigger"
}
