public import TelemetryModels

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension HTTPTelemetryTransport {
    /// Time limits and sizes.
    public struct Configuration: Sendable {
        /// The maximum duration of a request, from connecting to the end of the response. For a request that waits at the relay
        /// for events, that wait is added.
        public var requestTimeout: Duration
        /// How long an open stream may receive nothing before it counts as dead. A relay sends a comment every 15 seconds.
        public var heartbeatTimeout: Duration
        /// The maximum delay before an ended stream is reopened. The delay is random; the maximum doubles with each failure.
        public var minimumReconnectDelay: Duration
        /// The upper limit of the doubled delay.
        public var maximumReconnectDelay: Duration
        /// The maximum size of a response, in bytes.
        public var maximumResponseBytes: Int
        /// Receives interruptions of streams. Called on any thread; it must not block.
        public var diagnostics: TelemetryDiagnosticsHandler?

        /// The clock of the time limits and the delays.
        package var clock: any Clock<Duration> = ContinuousClock()
        /// Returns a random number from 0 up to but not including 1.
        package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
        /// Returns the current date, for responses with a retry date.
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

        /// The default values, for a host or a viewer on an ordinary network.
        public static let `default` = Configuration()
    }
}
