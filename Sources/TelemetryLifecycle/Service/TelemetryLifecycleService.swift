public import Observation
public import TelemetryLogging
public import TelemetryModels
public import TelemetryPersistence
public import TelemetryTransport

/// Telemetry in a host: consent, approval, scenarios, the viewer's commands.
///
/// Nothing is recorded unless the user requested it and the viewer approved it. Operations are serialized:
/// they run one at a time, in the order of the calls, and every call returns within ``Configuration/operationTimeout``, whatever
/// the store does. Cancelling a caller does not interrupt the operation that it waits for. Work that could not be completed is
/// stored and completed later, at the next reconciliation, even after a restart.
///
/// While telemetry is requested, the service follows the store's notifications and polls. Without an opt-in it has no cost: no
/// call to the store or the backup, no file, no task.
@MainActor
@Observable
public final class TelemetryLifecycleService {
    @ObservationIgnored let parts: LifecycleParts
    @ObservationIgnored let state: LifecycleState

    /// The status of telemetry. Never `.enabled` while sending is off.
    public var status: Status { state.status }
    /// The result of the last reconciliation.
    public var reconciliation: ReconciliationResult? { state.reconciliation }
    /// The settings as they are stored.
    public var settings: TelemetrySettings { state.settings }
    /// The client's record as it was last read from the store.
    public var clientRecord: TelemetryClientRecord? { state.clientRecord }
    /// A description of the status for display; nil if the status needs none.
    public var statusMessage: String? { state.statusMessage }
    /// Whether the startup of ``startup()`` or ``restoreFromBackup()`` is still running.
    public var isRestorationInProgress: Bool { state.isRestorationInProgress }
    /// The scenarios of this session and whether they are on.
    public var scenarioStates: [String: Bool] { state.scenarios.mapValues(\.isEnabled) }
    /// The scenarios of this session: whether they are on, at which level, until when, and who decided it.
    public var scenarios: [String: TelemetryScenarioState] { state.scenarios }
    /// Whether recording and sending are paused although telemetry is requested. Valid once an operation has begun.
    public var isPaused: Bool { state.isPaused }
    /// The scenarios that the user forbids. Valid once an operation has begun.
    public var deniedScenarios: Set<String> { state.deniedScenarios }
    /// Whether the viewer's commands are received, which is the case while telemetry is requested. A host with push notifications
    /// should be registered for them during that time.
    public var isProcessingCommands: Bool { state.isProcessingCommands }

    /// Called when ``isProcessingCommands`` changes; called at once if it is already true. It must not wait for an operation of
    /// the service.
    public var onCommandProcessingChange: (@MainActor (_ isProcessingCommands: Bool) -> Void)? {
        get { parts.commands.onProcessing }
        set {
            parts.commands.onProcessing = newValue
            if isProcessingCommands { newValue?(true) }
        }
    }

    /// The pending changes in the store and the backup.
    package var pendingWork: TelemetryPendingWork { parts.consent.work }
    /// Whether there is pending work.
    package var hasPendingWork: Bool { parts.consent.hasPendingWork }

    /// The logger for the host's events.
    public let telemetryLogger: any TelemetryLogging

    /// - Parameters:
    ///   - settingsStore: Keeps the settings; nil for the platform's default: user defaults on Apple's systems, elsewhere this
    ///     instance's own file in `$XDG_STATE_HOME/live-telemetry/<executable>`, see ``Configuration/instance``.
    ///   - transport: The store that client and viewer share.
    ///   - identifierGenerator: Generates the client's identifier at each opt-in.
    ///   - configuration: The service's configuration.
    ///   - logger: Records the events; nil for a ``TelemetryLogging/TelemetryLogger`` whose events outlive the process.
    ///   - syncCoordinator: Backs up every change of the settings; nil for no backup.
    ///   - subscriptionManager: Keeps the subscription to commands; nil for a ``TelemetrySubscriptionManager``.
    ///   - scenarioStore: Keeps which scenarios are on; nil for the platform's default, next to the settings.
    ///   - pendingWorkStore: Keeps the pending changes in the store and the backup; nil for that of the settings store,
    ///     and for the platform's default if it has none. Services that share settings must share it.
    public init(
        settingsStore: (any TelemetrySettingsStoring)? = nil,
        transport: any TelemetryTransporting,
        identifierGenerator: any TelemetryIdentifierGenerating = TelemetryIdentifierGenerator(),
        configuration: Configuration = .init(),
        logger: (any TelemetryLogging)? = nil,
        syncCoordinator: TelemetrySettingsSyncCoordinator? = nil,
        subscriptionManager: (any TelemetrySubscriptionManaging)? = nil,
        scenarioStore: (any TelemetryScenarioStoring)? = nil,
        pendingWorkStore: (any TelemetryPendingWorkStoring)? = nil
    ) {
        let state = LifecycleState()
        let logging = configuration.loggerConfiguration
        let defaults = PlatformDefaults(
            configuration, store: transport.storeIdentifier, sharesSettings: settingsStore != nil)
        let settingsStore = settingsStore ?? defaults.settingsStore()
        let events = logger ?? configuration.makeLogger(transport: transport, spoolDirectory: defaults.spoolDirectory)
        self.state = state
        telemetryLogger = events
        parts = LifecycleParts(
            state: state, configuration: configuration, transport: transport, identifiers: identifierGenerator,
            logger: events as? any ControlledLogger ?? ForeignLogger(events),
            stores: ConsentStores(
                settings: settingsStore, work: pendingWorkStore ?? settingsStore.pendingWorkStore ?? defaults.pendingWorkStore(),
                instance: defaults.instance),
            scenarioStore: scenarioStore ?? defaults.scenarioStore(), coordinator: syncCoordinator,
            subscriptions: subscriptionManager ?? TelemetrySubscriptionManager(transport: transport),
            spoolDirectory: logging.spoolDirectory ?? (logger == nil ? defaults.spoolDirectory : nil),
            instance: defaults.instance)
    }
}

extension TelemetryLifecycleService {
    /// The status of telemetry, for display.
    public enum Status: Equatable, Sendable {
        /// The service was not started, or was shut down.
        case idle
        /// The settings are being read.
        case loading
        /// The settings and the store are being reconciled.
        case syncing
        /// Events are sent.
        case enabled
        /// Telemetry is not requested.
        case disabled
        /// Telemetry is requested, and the viewer has not approved it yet.
        case pendingApproval
        /// The store could not be reached, or an operation could not be completed; it will be retried.
        case error(String)

        var isError: Bool { if case .error = self { true } else { false } }
    }

    /// The result of comparing the local settings with the client's record in the store.
    public enum ReconciliationResult: Equatable, Sendable {
        /// Sending is enabled on both sides.
        case localAndServerEnabled
        /// The viewer approved the client; sending was turned on.
        case serverEnabledLocalDisabled
        /// The viewer withdrew its approval; telemetry was disabled.
        case serverDisabledLocalEnabled
        /// Telemetry is not requested.
        case allDisabled
        /// The client's record was deleted; the settings were reset.
        case missingClient
        /// The viewer has not approved yet.
        case pendingApproval
    }
}
