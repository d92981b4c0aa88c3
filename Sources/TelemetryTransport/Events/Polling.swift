import TelemetryStorage

/// When a transport looks for new events by itself, because its store does not notify of them.
package enum Polling {
    /// An element after every interval, none queued behind another; ends when the stream's consumer does.
    package static func ticks<C: Clock>(every interval: C.Duration, clock: C) -> AsyncStream<Void> {
        .ticks(every: interval, clock: clock)
    }
}
