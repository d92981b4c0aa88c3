import TelemetryStorage

/// Timing for transports that poll for new events because their store does not notify of them.
package enum Polling {
    /// An element after every interval, at most one buffered; ends with the stream's consumer.
    package static func ticks<C: Clock>(every interval: C.Duration, clock: C) -> AsyncStream<Void> {
        .ticks(every: interval, clock: clock)
    }
}
