public import Foundation

extension TelemetryLogger {
    /// The limits of the flight recorder, for each recorded scenario. Beyond them the oldest events are dropped; they are not
    /// counted.
    public struct RecorderBounds: Sendable, Hashable {
        /// The most bytes of a scenario's events: from 16 KiB to 64 MiB, 1 MiB by default. An event of more than a quarter of it, or
        /// of more than a segment of the logger's memory has room for, is not kept.
        public var maximumBytes: Int
        /// The greatest age of an event that is captured, in seconds; 5 minutes by default.
        public var maximumAge: TimeInterval

        /// Creates bounds; the parameters are the properties of the same names.
        public init(maximumBytes: Int = 1 << 20, maximumAge: TimeInterval = 300) {
            self.maximumBytes = maximumBytes
            self.maximumAge = maximumAge
        }
    }
}
