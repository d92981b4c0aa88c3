public import TelemetryModels

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension HTTPTelemetryTransport {
    /// Time limits and sizes.
    public struct Configuration: Sendable {
        /// How long a request may take in all, from connecting to the end of the answer. A request that waits at the relay for
        /// events may take longer by that wait.
        public var requestTimeout: Duration
        /// How long an open stream may be silent before it counts as dead; a relay sends a comment every 15 seconds.
        public var heartbeatTimeout: Duration
        /// Within how long a stream that ended is opened again: at a random moment of this time, doubled with each failure.
        public var minimumReconnectDelay: Duration
        /// The most that the doubling leads to.
        public var maximumReconnectDelay: Duration
        /// The most bytes of an answer that are read.
        public var maximumResponseBytes: Int
        /// Receives interruptions of streams. Called on any thread; it must not block.
        public var diagnostics: TelemetryDiagnosticsHandler?

        /// Measures the time limits and the delays.
        package var clock: any Clock<Duration> = ContinuousClock()
        /// A random number from 0 up to and not including 1.
        package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
        /// The date, for answers that name one to come back at.
        package var now: @Sendable () -> Date = { Date() }

        /// Creates a configuration; the parameters are the properties of the same names.
        public init(
            requestTimeout: Duration = .seconds(30), heartbeatTimeout: Duration = .seconds(45),
            minimumReconnectDelay: Duration = .seconds(2), maximumReconnectDelay: Duration = .seconds(60),
            maximumResponseBytes: Int = 64 << 20, diagnostics: TelemetryDiagnosticsHandler? = nil
        ) {
            self.requestTimeout = requestTimeout
            self.heartbeatTimeout = heartbeatTimeout
            self.minimumReconnectDelay = minimumReconnectDelay
            self.maximumReconnectDelay = maximumReconnectDelay
            self.maximumResponseBytes = maximumResponseBytes
            self.diagnostics = diagnostics
        }

        /// What suits a host or a viewer on an ordinary network.
        public static let `default` = Configuration()
    }
}
