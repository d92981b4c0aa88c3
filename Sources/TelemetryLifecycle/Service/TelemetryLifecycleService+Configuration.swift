public import Foundation
public import TelemetryLogging
public import TelemetryModels
import TelemetryTransport

extension TelemetryLifecycleService {
    /// How the service works.
    public struct Configuration: Sendable {
        /// How the service's own logger works; without a spool directory it gets one of the platform's, so that events outlive
        /// the process.
        public var loggerConfiguration: TelemetryLogger.Configuration
        /// How long, after it was called, an operation takes at most where the store hangs.
        public var operationTimeout: Duration
        /// How often the service looks for itself whether anything changed at the store, give or take a fifth; nil for never.
        public var reconcileInterval: Duration?
        /// Measures the two above, and the logger's waits.
        public var clock: any Clock<Duration>
        /// Gives the dates that records and events bear; nil asks the system.
        public var now: (@Sendable () -> Date)?
        /// Receives diagnostics: non-fatal problems.
        public var diagnostics: TelemetryDiagnosticsHandler?
        /// The name of this instance of the host, for the platform's default stores; nil for the first place that is free.
        ///
        /// What is stored by default lies apart for each executable, store and instance. Instances without a name that run at the
        /// same time are different clients, and the same ones after a restart; those that give the same name are one client. On
        /// Apple's systems an app without a name uses its user defaults, whatever the store.
        public var instance: String?
        /// What viewers and rules may do.
        public var policy: TelemetryPolicy
        /// What rules can ask of this client beside what every client has: `clientId`, `appVersion`, `osVersion`, `deviceType`,
        /// `deviceModel` and `libraryVersion`, which come first where names meet.
        public var attributes: [String: String]
        /// How long an operation may still take once the person has opted out behind it.
        package var optOutGracePeriod: Duration = .seconds(1)
        /// How soon to look again where the store could not be reached, if `reconcileInterval` is not sooner.
        package var retryInterval: Duration = .seconds(60)
        /// How long after one of the transport's notifications to look at the store.
        package var notificationPause: Duration = .milliseconds(100)
        /// A number from 0 to 1 for spreading the intervals.
        package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
        /// Where the files of the default stores lie; nil for the platform's directory of the executable.
        package var stateDirectory: URL?
        /// Where the service's tasks run; nil for where tasks usually do.
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

    /// What rules can ask of this client, beside its identifier.
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
        // Turning telemetry off waits for an append under way, and must leave time for the rest of the operation.
        let seconds = Double(operationTimeout.components.seconds) + Double(operationTimeout.components.attoseconds) / 1e18
        logging.shutdownDeadline = min(logging.shutdownDeadline, seconds / 2)
        return TelemetryLogger(configuration: logging, transport: transport, clock: clock, now: now)
    }
}

extension TelemetryDeviceInfo {
    /// The app's version without the build in parentheses, which would make a text of its last part.
    var versionOfApp: String {
        guard appVersion.hasSuffix(")"), let end = appVersion.range(of: " (")?.lowerBound, end > appVersion.startIndex
        else { return appVersion }
        return String(appVersion[..<end])
    }
}
