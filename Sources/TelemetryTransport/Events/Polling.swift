import TelemetryStorage

/// When a transport looks for new events by itself, because its store does not notify of them.
package enum Polling {
    /// An element after every interval, at most one buffered; ends with the stream's consumer.
    package static func ticks<C: Clock>(every interval: C.Duration, clock: C) -> AsyncStream<Void> {
        .ticks(every: interval, clock: clock)
    }
}
