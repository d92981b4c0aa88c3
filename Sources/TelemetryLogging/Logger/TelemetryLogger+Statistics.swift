extension TelemetryLogger {
    /// Why an event will not reach the transport.
    public enum DropCause: String, Sendable, Hashable, CaseIterable {
        /// Too much waited; the oldest went.
        case full
        /// It waited for too long.
        case expired
        /// It was larger than the logger can keep.
        case oversized
        /// The transport refused it, alone, as one that it can never take.
        case rejected
        /// `Configuration.process` refused it.
        case refused
        /// Telemetry was turned off before it was sent.
        case disabled
        /// What was kept of it could not be read.
        case corrupt
        /// It was left in the spool by a client other than the current one.
        case otherClient
    }

    /// What became of events so far, since the logger was created.
    public struct Statistics: Sendable, Hashable {
        /// Accepted by this process.
        public internal(set) var logged: UInt64 = 0
        /// Recovered from sessions that ended before their events were delivered.
        public internal(set) var recovered: UInt64 = 0
        /// Taken by the transport.
        public internal(set) var delivered: UInt64 = 0
        /// Kept for a later try.
        public internal(set) var waiting: UInt64 = 0
        /// Events that were dropped, by cause.
        public internal(set) var dropped: [DropCause: UInt64] = [:]
        /// Appends that were tried again.
        public internal(set) var retries: UInt64 = 0

        /// Creates statistics in which every count is zero.
        public init() {}
    }

    /// What became of events so far. Consistent in itself; may be read on any thread.
    public nonisolated var statistics: Statistics { capture.statistics }
}

extension TelemetryLogger.DropCause {
    /// Whether the stream tells of it. What the user or the host refused is no loss.
    var isLoss: Bool { self != .refused && self != .disabled }
}
