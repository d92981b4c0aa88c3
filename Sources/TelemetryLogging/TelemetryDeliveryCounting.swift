/// A logger that counts what it delivers each day.
package protocol TelemetryDeliveryCounting: TelemetryLogging {
    /// What the transport accepted from this logger since midnight, by the logger's date and calendar. May be read on any thread.
    nonisolated var deliveredToday: TelemetryDeliveryCount { get }
}

/// A number of delivered events and their size.
package struct TelemetryDeliveryCount: Sendable, Hashable {
    package var events: UInt64
    /// The size of the events as the logger encodes them, in bytes.
    package var bytes: UInt64

    /// Creates a count; the parameters are the properties of the same names.
    package init(events: UInt64 = 0, bytes: UInt64 = 0) {
        self.events = events
        self.bytes = bytes
    }
}
