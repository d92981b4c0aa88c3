public import Foundation
public import TelemetryLogging
public import TelemetryModels
import TelemetryTransport

extension TelemetryLifecycleService {
    /// The service's configuration.
    public struct Configuration: Sendable {
        /// The configuration of the service's own logger. Without a spool directory it uses the platform's, so that events
        /// outlive the process.
        public var loggerConfiguration: TelemetryLogger.Configuration
        /// The maximum duration of an operation, counted from its call, if the store hangs.
        public var operationTimeout: Duration
        /// The interval, ±20 %, at which the service polls the store for changes; nil for never.
        public var reconcileInterval: Duration?
        /// The clock of the two durations above and of the logger's waits.
        public var clock: any Clock<Duration>
        /// Returns the current date for records and events; nil for the system's.
        public var now: (@Sendable () -> Date)?
        /// Receives diagnostics: non-fatal problems.
        public var diagnostics: TelemetryDiagnosticsHandler?
        /// The name of this instance of the host, for the platform's default stores; nil for the first free directory.
        ///
        /// The default stores are separate for each executable, store and instance. Unnamed instances that run at the same time
        /// are different clients, and the same ones after a restart. Instances with the same name are one client. On Apple's
        /// systems an unnamed app uses its user defaults for every store.
        public var instance: String?
        /// What viewers and rules may do.
        public var policy: TelemetryPolicy
        /// Additional attributes of this client that rules can test. Every client has `clientId`, `appVersion`, `osVersion`,
        /// `deviceType`, `deviceModel` and `libraryVersion`, which cannot be overridden.
        public var attributes: [String: String]
        /// How long an operation may still take once the user opts out after it.
        package var optOutGracePeriod: Duration = .seconds(1)
        /// The polling interval while the store cannot be reached, if it is shorter than `reconcileInterval`.
        package var retryInterval: Duration = .seconds(60)
        /// The delay after a refresh for a notification until the refresh for those that followed.
        package var notificationPause: Duration = .milliseconds(100)
        /// A number from 0 to 1 for spreading the intervals.
        package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
        /// The directory of the default stores' files; nil for the platform's directory of the executable.
        package var stateDirectory: URL?
        /// The executor of the service's tasks; nil for the default one.
        package var executor: (any TaskExecutor)?

        /// Creates a configuration; the parameters are the properties of the same names.
        public init(
            loggerConfiguration: TelemetryLogger.Configuration = .default, operationTimeout: Duration = .seconds(10),
            reconcileInterval: Duration? = .seconds(15 * 60), clock: any Clock<Duration> = ContinuousClock(),
            now: (@Sendable () -> Date)? = nil, diagnostics: TelemetryDiagnosticsHandler? = nil, instance: String? = nil,
            policy: TelemetryPolicy = TelemetryPolicy(), attributes: [String: String] = [:]
        ) {
            self.loggerConfiguration = loggerConfiguration
            self.operationTimeout = operationTimeout
            self.reconcileInterval = reconcileInterval
            self.clock = clock
            self.now = now
            self.diagnostics = diagnostics
            self.instance = instance
            self.policy = policy
            self.attributes = attributes
        }
    }
}

extension TelemetryLifecycleService.Configuration {
    var date: @Sendable () -> Date { now ?? { Date() } }

    /// The attributes of this client that rules can test, without its identifier.
    var clientAttributes: [String: String] {
        let device = TelemetryDeviceInfo.current
        let own = [
            "appVersion": device.versionOfApp, "osVersion": device.osVersion, "deviceType": device.deviceType,
            "deviceModel": device.deviceModel, "libraryVersion": LiveTelemetryVersion.version,
        ]
        return attributes.merging(own) { _, own in own }
    }

    func makeLogger(transport: any TelemetryEventTransport, spoolDirectory: URL) -> TelemetryLogger {
        var logging = loggerConfiguration
        logging.spoolDirectory = logging.spoolDirectory ?? spoolDirectory
        logging.diagnostics = logging.diagnostics ?? diagnostics
        // Turning telemetry off waits for a running append and must leave time for the rest of the operation.
        let seconds = Double(operationTimeout.components.seconds) + Double(operationTimeout.components.attoseconds) / 1e18
        logging.shutdownDeadline = min(logging.shutdownDeadline, seconds / 2)
        return TelemetryLogger(configuration: logging, transport: transport, clock: clock, now: now)
    }
}

extension TelemetryDeviceInfo {
    /// The app's version without the build in parentheses, because with it the last part would not be compared as a number.
    var versionOfApp: String {
        guard appVersion.hasSuffix(")"), let end = appVersion.range(of: " (")?.lowerBound, end > appVersion.startIndex
        else { return appVersion }
        return String(appVersion[..<end])
    }
}
