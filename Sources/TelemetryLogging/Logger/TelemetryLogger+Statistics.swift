extension TelemetryLogger {
    /// Why an event was dropped.
    public enum DropCause: String, Sendable, Hashable, CaseIterable {
        /// The limit of waiting events was exceeded; the oldest ones are dropped.
        case full
        /// The event waited for too long.
        case expired
        /// The event was too large to store.
        case oversized
        /// The transport rejected the event permanently, in an append of its own.
        case rejected
        /// `Configuration.process` refused the event.
        case refused
        /// Telemetry was turned off before the event was sent.
        case disabled
        /// The stored event could not be read.
        case corrupt
        /// The event was left in the spool by another client.
        case otherClient
    }

    /// Counts of events since the logger was created.
    public struct Statistics: Sendable, Hashable {
        /// Events that this process accepted.
        public internal(set) var logged: UInt64 = 0
        /// Events recovered from sessions that ended before their events were delivered.
        public internal(set) var recovered: UInt64 = 0
        /// Events that the transport accepted.
        public internal(set) var delivered: UInt64 = 0
        /// Events that wait for delivery.
        public internal(set) var waiting: UInt64 = 0
        /// Events that were dropped, by cause.
        public internal(set) var dropped: [DropCause: UInt64] = [:]
        /// Appends that were retried.
        public internal(set) var retries: UInt64 = 0

        /// Creates statistics in which every count is zero.
        public init() {}
    }

    /// A consistent snapshot of the statistics; may be read on any thread.
    public nonisolated var statistics: Statistics { capture.statistics }
}

extension TelemetryLogger.DropCause {
    /// Whether the stream reports it. Events that the user or the host refused are not losses.
    var isLoss: Bool { self != .refused && self != .disabled }
}
